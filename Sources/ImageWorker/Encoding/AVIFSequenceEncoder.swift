import CAVIF
import CVips
import ImagePlan

/// Encodes an animation as an AVIF sequence with libavif and aom; libheif 1.15 writes stills only.
struct AVIFSequenceEncoder {
    let options: EncodingOptions
    /// The effort, 0–9.
    let effort: CInt
    /// Whether chroma keeps the full resolution.
    let keepsColours: Bool

    /// aom's scale of quantisers (AV1 §5.9.12).
    private static let coarsest: CInt = 63
    /// Ticks per second.
    private static let timescale: UInt64 = 1000
    /// The maximum number of frames between key frames, so that a player can seek.
    private static let keyFrameInterval: CInt = 64

    /// Encodes frame by frame; only one frame's pixels are in memory, besides libavif's state.
    ///
    /// - Throws: `WorkerReply.Failure` or `VipsError`.
    func encode(_ picture: FinishedPicture, _ animation: Animation) throws -> EncodedPicture {
        guard let encoder = unsafe avifEncoderCreate() else {
            throw WorkerReply.Failure.worker("no memory for an animation")
        }
        defer { unsafe avifEncoderDestroy(encoder) }
        unsafe configure(encoder)
        for (index, frame) in picture.frames.enumerated() {
            try options.deadline.check()
            options.deadline.watch(frame)
            let computed = try frame.inMemory()
            let metadata =
                index == 0 && !options.strips ? try WebPMetadata(of: picture.filter.apply(to: computed)) : nil
            try unsafe add(computed, animation.delay(ofFrame: index), metadata, to: encoder)
        }
        var output = unsafe avifRWData()
        let result = unsafe avifEncoderFinish(encoder, &output)
        let file = unsafe EncodedPicture(
            owning: UnsafeRawBufferPointer(start: output.data, count: output.size),
            release: { unsafe avifFree($0) }
        )
        try Self.check(result)
        guard animation.rounds > 0 else { return file }
        guard let counted = SequenceLoop.added(to: file.copy, rounds: animation.rounds) else {
            throw WorkerReply.Failure.worker("libavif wrote an unexpected box layout")
        }
        return EncodedPicture(counted)
    }

    private func configure(_ encoder: UnsafeMutablePointer<avifEncoder>) {
        unsafe encoder.pointee.maxThreads = 1
        unsafe encoder.pointee.speed = 9 - effort
        unsafe encoder.pointee.timescale = Self.timescale
        unsafe encoder.pointee.keyframeInterval = Self.keyFrameInterval
        let coarsest = options.isLossless ? 0 : Self.coarsest
        unsafe encoder.pointee.minQuantizer = 0
        unsafe encoder.pointee.maxQuantizer = coarsest
        unsafe encoder.pointee.minQuantizerAlpha = 0
        unsafe encoder.pointee.maxQuantizerAlpha = coarsest
        guard !options.isLossless else { return }
        // As libheif maps a quality to aom's level of constant quality.
        let level = ((100 - options.quality) * Int(Self.coarsest) + 50) / 100
        unsafe avifEncoderSetCodecSpecificOption(encoder, "end-usage", "q")
        unsafe avifEncoderSetCodecSpecificOption(encoder, "cq-level", String(level))
    }

    private func add(
        _ frame: Raster,
        _ delay: Int,
        _ metadata: WebPMetadata?,
        to encoder: UnsafeMutablePointer<avifEncoder>
    ) throws {
        let format = keepsColours ? AVIF_PIXEL_FORMAT_YUV444 : AVIF_PIXEL_FORMAT_YUV420
        guard let image = unsafe avifImageCreate(UInt32(frame.width), UInt32(frame.height), 8, format) else {
            throw WorkerReply.Failure.worker("no memory for a frame")
        }
        defer { unsafe avifImageDestroy(image) }
        // ITU-T H.273: BT.709 primaries, sRGB's curve, BT.601's matrix, or none for lossless RGB.
        unsafe image.pointee.colorPrimaries = avifColorPrimaries(1)
        unsafe image.pointee.transferCharacteristics = avifTransferCharacteristics(13)
        unsafe image.pointee.matrixCoefficients = avifMatrixCoefficients(options.isLossless ? 0 : 6)
        unsafe image.pointee.yuvRange = AVIF_RANGE_FULL
        if let exif = metadata?["EXIF"] {
            let prefix = Array("Exif\0\0".utf8)
            let block = exif.starts(with: prefix) ? Array(exif.dropFirst(prefix.count)) : exif
            unsafe avifImageSetMetadataExif(image, block, block.count)
        }
        if let packet = metadata?["XMP "] { unsafe avifImageSetMetadataXMP(image, packet, packet.count) }
        let bands = frame.bands
        let converted = try frame.withPixels { pixels in
            var rgb = unsafe avifRGBImage()
            unsafe avifRGBImageSetDefaults(&rgb, image)
            unsafe rgb.format = bands == 4 ? AVIF_RGB_FORMAT_RGBA : AVIF_RGB_FORMAT_RGB
            unsafe rgb.pixels = UnsafeMutablePointer(mutating: pixels.bindMemory(to: UInt8.self).baseAddress)
            unsafe rgb.rowBytes = UInt32(frame.width * bands)
            return unsafe avifImageRGBToYUV(image, &rgb)
        }
        try Self.check(converted)
        let flags = avifAddImageFlags(AVIF_ADD_IMAGE_FLAG_NONE.rawValue)
        try Self.check(unsafe avifEncoderAddImage(encoder, image, UInt64(max(1, delay)), flags))
    }

    private static func check(_ result: avifResult) throws(WorkerReply.Failure) {
        guard result != AVIF_RESULT_OK else { return }
        // It fails for every source of this size and length.
        let text = unsafe String(cString: avifResultToString(result))
        throw .refused("libavif's encoder: \(text); it may need more than workers.memory")
    }
}
