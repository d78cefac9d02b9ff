import CJXL
import CVips
import ImagePlan

/// The frames of a JPEG XL that libjxl decodes without libvips: of an animation, and of a still in colours that libjxl cannot name.
///
/// libvips 8.14 decodes only the first frame of an animation. Lossy files keep no samples in the colours of their profile: libjxl converts
/// them to a space that it can name, and takes linear light if the profile is none of these, which libvips leaves at 8 bits. Remove this
/// type when libvips decodes all frames with their delays, and asks for sRGB.
struct JXLFrames {
    /// The duration of each frame of an animation in milliseconds.
    private(set) var delays: [Int] = []
    /// The number of loops; 0 for endless.
    private(set) var rounds = 0
    private(set) var info = JxlBasicInfo()
    /// Whether libjxl converts the pixels to a colour space that the caller may choose.
    private var mayChooseColours = false

    var isAnimation: Bool { delays.count > 1 }
    var count: Int { max(1, delays.count) }

    /// Reads the headers of all frames without decoding any.
    ///
    /// - Returns: `nil` for a still that libvips decodes.
    /// - Throws: `WorkerReply.Failure` for a damaged file.
    init?(_ source: SourceMapping) throws(WorkerReply.Failure) {
        let decoder = try JXLDecoder(source, events: [JXL_DEC_BASIC_INFO, JXL_DEC_COLOR_ENCODING, JXL_DEC_FRAME])
        while true {
            switch try decoder.next() {
            case JXL_DEC_BASIC_INFO:
                info = try decoder.info()
                rounds = Int(info.animation.num_loops)
            case JXL_DEC_COLOR_ENCODING:
                mayChooseColours = info.uses_original_profile == 0 && decoder.encoding() == nil
                guard info.have_animation == 0 || info.animation.tps_numerator == 0 else { continue }
                guard mayChooseColours else { return nil }
                return
            case JXL_DEC_FRAME:
                let ticks = try Int(decoder.frameHeader().duration)
                let (numerator, denominator) = (info.animation.tps_numerator, info.animation.tps_denominator)
                delays.append((ticks * 1000 * Int(denominator) + Int(numerator) / 2) / Int(numerator))
                guard delays.count <= AnimationSettings.frames.count else {
                    throw .refused("more frames than can be read")
                }
            case JXL_DEC_SUCCESS:
                guard isAnimation || mayChooseColours else { return nil }
                return
            default: throw .broken("libjxl: the file is truncated")
            }
        }
    }

    /// Returns consecutive frames, each composed over those before it, in memory.
    ///
    /// - Parameters:
    ///   - selected: zero-based indices.
    ///   - deadline: checked before each frame; `nil` for none.
    ///   - change: applied to each frame after it is decoded.
    /// - Throws: `WorkerReply.Failure` or `VipsError`.
    func decoded(
        _ selected: Range<Int>,
        of source: SourceMapping,
        _ deadline: Deadline?,
        _ change: (Raster) throws -> Raster
    ) throws -> [Raster] {
        let decoder = try JXLDecoder(source, events: [JXL_DEC_COLOR_ENCODING, JXL_DEC_FULL_IMAGE])
        decoder.skip(frames: selected.lowerBound)
        let isDeep = info.bits_per_sample > 8
        let bands = Int(info.num_color_channels) + (info.alpha_bits > 0 ? 1 : 0)
        let (width, height) = (Int(info.xsize), Int(info.ysize))
        var format = JxlPixelFormat()
        format.num_channels = UInt32(bands)
        format.data_type = isDeep ? JXL_TYPE_UINT16 : JXL_TYPE_UINT8
        format.endianness = JXL_NATIVE_ENDIAN
        var pixels = [UInt8](repeating: 0, count: width * height * bands * (isDeep ? 2 : 1))
        var profile: [UInt8] = []
        var frames: [Raster] = []
        // libjxl writes into the buffer until it reports a whole image.
        try unsafe pixels.withUnsafeMutableBytes { buffer in
            while frames.count < selected.count {
                try deadline?.check()
                switch try decoder.next() {
                case JXL_DEC_COLOR_ENCODING:
                    if mayChooseColours { decoder.preferSRGB(isGrey: info.num_color_channels == 1) }
                    profile = decoder.profile()
                case JXL_DEC_NEED_IMAGE_OUT_BUFFER: try unsafe decoder.setBuffer(&format, buffer)
                case JXL_DEC_FULL_IMAGE:
                    let raster = try unsafe Raster.interleaved(
                        UnsafeRawBufferPointer(buffer),
                        width: width,
                        height: height,
                        bands: bands,
                        isDeep: isDeep
                    )
                    let colours = profile
                    let described =
                        colours.isEmpty ? raster : try raster.withMetadata { $0.set(VIPS_META_ICC_NAME, colours) }
                    try frames.append(change(described))
                default: throw WorkerReply.Failure.broken("libjxl: the file is truncated")
                }
            }
        }
        return frames
    }
}

extension JXLFrames {
    /// Reads the header of a file.
    ///
    /// - Throws: `WorkerReply.Failure`.
    static func info(of source: SourceMapping) throws(WorkerReply.Failure) -> JxlBasicInfo {
        let decoder = try JXLDecoder(source, events: [JXL_DEC_BASIC_INFO])
        guard try decoder.next() == JXL_DEC_BASIC_INFO else { throw .broken("libjxl: no header") }
        return try decoder.info()
    }

    /// Reads the colours that a file declares as code points; `nil` if it has a profile, or custom primaries.
    static func statedColour(of source: SourceMapping) -> StatedColour? {
        guard let decoder = try? JXLDecoder(source, events: [JXL_DEC_COLOR_ENCODING]),
            (try? decoder.next()) == JXL_DEC_COLOR_ENCODING, let encoding = decoder.encoding(),
            encoding.primaries != JXL_PRIMARIES_CUSTOM
        else { return nil }
        // libjxl uses the code points of ITU-T H.273; its P3 has the one of DCI-P3, and the white point distinguishes the two.
        let isDisplayP3 = encoding.primaries == JXL_PRIMARIES_P3 && encoding.white_point == JXL_WHITE_POINT_D65
        return StatedColour(
            primaries: isDisplayP3 ? 12 : Int(encoding.primaries.rawValue),
            transfer: Int(encoding.transfer_function.rawValue)
        )
    }
}

/// libjxl's decoder of one file.
@safe
final class JXLDecoder {
    private let decoder: OpaquePointer

    /// Creates a decoder; the source must outlive it.
    ///
    /// - Parameter events: the events that `next` reports, besides errors and the end.
    init(_ source: SourceMapping, events: [JxlDecoderStatus]) throws(WorkerReply.Failure) {
        guard let decoder = unsafe JxlDecoderCreate(nil) else { throw .worker("no memory for a JPEG XL decoder") }
        unsafe self.decoder = decoder
        let mask = events.reduce(0) { $0 | CInt(bitPattern: $1.rawValue) }
        let bytes = unsafe source.bytes.bindMemory(to: UInt8.self)
        guard unsafe JxlDecoderSubscribeEvents(decoder, mask) == JXL_DEC_SUCCESS,
            unsafe JxlDecoderSetInput(decoder, bytes.baseAddress, bytes.count) == JXL_DEC_SUCCESS
        else { throw .worker("libjxl has an unexpected version") }
        unsafe JxlDecoderCloseInput(decoder)
    }

    deinit { unsafe JxlDecoderDestroy(decoder) }

    /// Continues to the next event.
    func next() throws(WorkerReply.Failure) -> JxlDecoderStatus {
        let status = unsafe JxlDecoderProcessInput(decoder)
        guard status != JXL_DEC_ERROR else { throw .broken("libjxl: the file is damaged") }
        return status
    }

    func info() throws(WorkerReply.Failure) -> JxlBasicInfo {
        var info = JxlBasicInfo()
        guard unsafe JxlDecoderGetBasicInfo(decoder, &info) == JXL_DEC_SUCCESS else {
            throw .broken("libjxl: no header")
        }
        return info
    }

    func frameHeader() throws(WorkerReply.Failure) -> JxlFrameHeader {
        var header = JxlFrameHeader()
        guard unsafe JxlDecoderGetFrameHeader(decoder, &header) == JXL_DEC_SUCCESS else {
            throw .broken("libjxl: no frame header")
        }
        return header
    }

    func skip(frames: Int) { unsafe JxlDecoderSkipFrames(decoder, frames) }

    /// Asks for pixels in sRGB; ignored for files whose colours libjxl does not convert.
    ///
    /// Allowed after `JXL_DEC_COLOR_ENCODING` and before the profile is read.
    func preferSRGB(isGrey: Bool) {
        var encoding = JxlColorEncoding()
        unsafe JxlColorEncodingSetToSRGB(&encoding, isGrey ? 1 : 0)
        unsafe JxlDecoderSetPreferredColorProfile(decoder, &encoding)
    }

    /// The ICC profile of decoded pixels; empty if there is none.
    func profile() -> [UInt8] {
        let target = JXL_COLOR_PROFILE_TARGET_DATA
        var size = 0
        guard unsafe edge_jxl_profile_size(decoder, target, &size) == JXL_DEC_SUCCESS, size > 0 else {
            return []
        }
        var profile = [UInt8](repeating: 0, count: size)
        let status = unsafe edge_jxl_profile(decoder, target, &profile, size)
        return status == JXL_DEC_SUCCESS ? profile : []
    }

    /// The colours of the original as code points; `nil` if the file has a profile instead.
    func encoding() -> JxlColorEncoding? {
        var encoding = JxlColorEncoding()
        let target = JXL_COLOR_PROFILE_TARGET_ORIGINAL
        let status = unsafe edge_jxl_encoding(decoder, target, &encoding)
        return status == JXL_DEC_SUCCESS ? encoding : nil
    }

    /// Sets the buffer for the next image; it must stay valid until `next` reports a whole image.
    func setBuffer(_ format: inout JxlPixelFormat, _ buffer: UnsafeMutableRawBufferPointer) throws(WorkerReply.Failure)
    {
        let status = unsafe JxlDecoderSetImageOutBuffer(decoder, &format, buffer.baseAddress, buffer.count)
        guard status == JXL_DEC_SUCCESS else { throw .broken("libjxl: a frame differs from its declared size") }
    }

    /// Restores the JPEG that the file was made of, after `JXL_DEC_JPEG_RECONSTRUCTION`.
    ///
    /// - Returns: the number of bytes of the buffer that are left; `nil` if it is too small.
    /// - Throws: `WorkerReply.Failure.broken` for a damaged file.
    func restoreJPEG(into buffer: UnsafeMutableBufferPointer<UInt8>) throws(WorkerReply.Failure) -> Int? {
        guard unsafe JxlDecoderSetJPEGBuffer(decoder, buffer.baseAddress, buffer.count) == JXL_DEC_SUCCESS else {
            throw .broken("libjxl: no JPEG")
        }
        let status = try next()
        let left = unsafe JxlDecoderReleaseJPEGBuffer(decoder)
        return status == JXL_DEC_FULL_IMAGE ? left : nil
    }
}
