import CJXL
import ImagePlan

/// Codes the coefficients of a JPEG again as JPEG XL, from which the file is restored byte for byte (ISO/IEC 18181-2, `jbrd` box).
struct JPEGTranscoder {
    let deadline: Deadline

    /// libjxl's efforts up to 7 give the same bytes; 9 takes ten times as long for half a percent.
    private static let effort: Int64 = 7
    /// The size of the parts in which libjxl writes a file, in bytes.
    private static let part = 256 << 10

    /// Whether a worker has enough memory: 12 megapixels take 55 bytes of address space per pixel with subsampled chroma, 59 with full.
    static func hasRoom(for size: PixelSize) -> Bool {
        (try? EncoderMemory.check(size, bytesPerPixel: 62, as: .jxl)) != nil
    }

    /// Returns the JPEG XL of a JPEG file, verified by restoring it.
    ///
    /// The deadline is checked between encoding and verification, which cannot be interrupted.
    /// - Returns: `nil` if it would not be smaller, and for files that libjxl does not support, such as CMYK ones.
    /// - Throws: `WorkerReply.Failure.deadline`, or `.worker` if there is no memory for libjxl.
    func transcode(_ jpeg: [UInt8]) throws -> EncodedPicture? {
        try deadline.check()
        guard Self.scans(of: jpeg) <= Self.mostScans, let encoded = try Self.encode(jpeg), encoded.count < jpeg.count
        else {
            return nil
        }
        try deadline.check()
        // What libjxl itself has written may be called broken only by a defect of libjxl.
        let mapping = try unsafe encoded.withUnsafeBytes { try unsafe SourceMapping(copying: $0) }
        guard let restored = try? Self.restore(mapping, atMost: jpeg.count), restored == jpeg else { return nil }
        return EncodedPicture(encoded)
    }

    /// The maximum number of scans: libjxl walks over all blocks for each.
    private static let mostScans = 40

    /// The number of scans, or a little more: what looks like a scan's marker within a segment counts, too.
    private static func scans(of jpeg: [UInt8]) -> Int {
        var count = 0
        for index in jpeg.indices.dropLast() where jpeg[index] == 0xFF && jpeg[index + 1] == 0xDA { count += 1 }
        return count
    }

    private static func encode(_ jpeg: [UInt8]) throws -> [UInt8]? {
        guard let encoder = unsafe JxlEncoderCreate(nil) else {
            throw WorkerReply.Failure.worker("no memory for a JPEG XL encoder")
        }
        defer { unsafe JxlEncoderDestroy(encoder) }
        // Without threads of its own, libjxl uses the caller's.
        guard unsafe JxlEncoderUseContainer(encoder, 1) == JXL_ENC_SUCCESS,
            unsafe JxlEncoderStoreJPEGMetadata(encoder, 1) == JXL_ENC_SUCCESS,
            let settings = unsafe JxlEncoderFrameSettingsCreate(encoder, nil),
            unsafe JxlEncoderFrameSettingsSetOption(settings, JXL_ENC_FRAME_SETTING_EFFORT, effort) == JXL_ENC_SUCCESS,
            unsafe JxlEncoderAddJPEGFrame(settings, jpeg, jpeg.count) == JXL_ENC_SUCCESS
        else { return nil }
        unsafe JxlEncoderCloseInput(encoder)
        var file: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: part)
        while file.count < jpeg.count {
            let (status, left) = unsafe buffer.withUnsafeMutableBufferPointer { buffer in
                var next = buffer.baseAddress
                var room = buffer.count
                let status = unsafe JxlEncoderProcessOutput(encoder, &next, &room)
                return (status, room)
            }
            file += buffer.dropLast(left)
            if status == JXL_ENC_SUCCESS { return file }
            guard status == JXL_ENC_NEED_MORE_OUTPUT else { return nil }
        }
        return nil
    }

    /// Restores the JPEG of a file.
    ///
    /// - Parameter longest: the maximum length of the JPEG in bytes.
    /// - Returns: `nil` for a file that was not made of a JPEG, or of a longer one.
    /// - Throws: `WorkerReply.Failure.broken` for a damaged file.
    static func restore(_ file: SourceMapping, atMost longest: Int) throws -> [UInt8]? {
        try withExtendedLifetime(file) {
            let decoder = try JXLDecoder(file, events: [JXL_DEC_JPEG_RECONSTRUCTION, JXL_DEC_FULL_IMAGE])
            guard try decoder.next() == JXL_DEC_JPEG_RECONSTRUCTION else { return nil }
            var jpeg = [UInt8](repeating: 0, count: longest)
            let left = try unsafe jpeg.withUnsafeMutableBufferPointer { buffer in
                try unsafe decoder.restoreJPEG(into: buffer)
            }
            return left.map { Array(jpeg.dropLast($0)) }
        }
    }
}
