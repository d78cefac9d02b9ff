import CVips
import ImagePlan

/// The decoder and encoder of one format (SDWebImage's `SDImageCoder`); `CoderRegistry` lists all of them.
protocol Coder: Sendable {
    var format: ImageFormat { get }
    /// The libvips loader; `nil` for a format that libvips does not decode.
    var loader: VipsPart? { get }
    /// The libvips saver; `nil` for a format that libvips does not encode.
    var saver: VipsPart? { get }
    /// What the encoder supports; `nil` for a format without an encoder.
    var traits: EncoderTraits? { get }
    /// Whether the encoder is available.
    var isEncoderThere: Bool { get }
    /// The settings, other than `q`, that the encoder supports.
    var settings: [PlanSetting] { get }
    /// Whether frames after the first are decoded.
    var decodesAnimation: Bool { get }
    /// Whether `open` can open pages after the first; what libvips counts as pages is something else in other formats, such as the
    /// resolutions of a JPEG 2000.
    var hasPages: Bool { get }
    /// Whether the format is a vector format, drawn at any size.
    var drawsAtAnySize: Bool { get }
    /// A tiny file for trying the decoder of a format without an encoder.
    var sample: [UInt8]? { get }

    /// Returns replacement bytes for a file that the library would misread; `nil` to use the file itself.
    func corrected(_ bytes: Span<UInt8>) -> [UInt8]?

    /// Reads the header of a file whose frames `open` decodes at once; `nil` for other files.
    ///
    /// - Throws: `WorkerReply.Failure`.
    func frameFacts(of source: SourceMapping) throws(WorkerReply.Failure) -> SourceDecoder.Facts?

    /// Returns the decoded size if the file shows only a part of it; `nil` if it shows everything.
    func storedSize(of source: SourceMapping) -> PixelSize?

    /// Opens a source: reads its header now and, where the format allows it, its pixels on demand.
    ///
    /// The raster must not outlive `source`.
    /// - Throws: `VipsError` or `WorkerReply.Failure`.
    func open(_ source: SourceMapping, _ options: DecodingOptions) throws -> Raster

    /// Encodes an image, which computes all pixels that are still pending.
    ///
    /// - Throws: `VipsError` or `WorkerReply.Failure`.
    func encode(_ picture: FinishedPicture, _ options: EncodingOptions) throws -> EncodedPicture
}

/// How to open a source.
struct DecodingOptions {
    /// The factor by which a JPEG is loaded smaller: 1, 2, 4 or 8.
    var shrink = 1
    /// Whether to decode all frames, stacked, if the coder supports it; otherwise `frame` alone.
    var allFrames = false
    /// The range of frames to decode; `nil` for all.
    var part: Range<Int>?
    /// The zero-based frame of an animation, composed over the frames before it.
    var frame = 0
    /// The zero-based page of a multi-page source.
    var page = 0
    /// The resolution at which a vector image is drawn, in dots per inch.
    var dpi = PlanSetting.standardDPI
    /// The factor by which a vector image is drawn larger than at `dpi`.
    var scale = 1.0
    /// The deadline of decoders that decode at once; `nil` for none.
    var deadline: Deadline?

    /// The first frame to open, as libvips counts.
    var firstFrame: CInt { CInt(allFrames ? part?.lowerBound ?? 0 : frame) }
    /// The number of frames to open, in libvips' terms: -1 for all from the first on.
    var frameCount: CInt { allFrames ? CInt(part?.count ?? -1) : 1 }

    /// The frames to decode of an animation with `count` frames.
    func selection(of count: Int) -> Range<Int> { allFrames ? part ?? 0..<count : frame..<frame + 1 }
}

/// The defaults of a still format that is only decoded.
extension Coder {
    var saver: VipsPart? { nil }
    var traits: EncoderTraits? { nil }
    var settings: [PlanSetting] { [] }
    var decodesAnimation: Bool { false }
    var hasPages: Bool { false }
    var drawsAtAnySize: Bool { false }
    var sample: [UInt8]? { nil }

    func corrected(_: Span<UInt8>) -> [UInt8]? { nil }
    func storedSize(of _: SourceMapping) -> PixelSize? { nil }
    func frameFacts(of _: SourceMapping) throws(WorkerReply.Failure) -> SourceDecoder.Facts? { nil }

    func encode(_: FinishedPicture, _: EncodingOptions) throws -> EncodedPicture {
        throw WorkerReply.Failure.unsupported("encoding \(format) is not supported")
    }

    /// Whether bytes are of this format by their header (`SDImageCoder.canDecode(from:)`).
    func canDecode(from bytes: Span<UInt8>) -> Bool {
        guard case .image(let header) = ImageSniffer.sniff(bytes, totalLength: bytes.count) else { return false }
        return header.format == format
    }

    /// Whether the decoder is available, as far as can be told without loading it.
    var isDecoderThere: Bool { loader?.isThere ?? true }
    var isEncoderThere: Bool { traits != nil && (saver?.isThere ?? true) }

    /// Loads the loader's module and runs the loader on a whole source.
    @safe
    func load(
        _ source: SourceMapping,
        _ body: (UnsafeRawPointer?, Int, inout UnsafeMutablePointer<VipsImage>?) -> CInt
    ) throws(VipsError) -> Raster {
        loader?.load()
        return try Raster.make("load") { out in unsafe body(source.decodable.baseAddress, source.decodable.count, &out)
        }
    }

    /// Loads the saver's module and runs the saver on a still image until the deadline.
    ///
    /// - Throws: `VipsError`, or `WorkerReply.Failure` if the result is not an image.
    @safe
    func save(
        _ picture: FinishedPicture,
        _ options: EncodingOptions,
        _ body: (Raster, inout UnsafeMutableRawPointer?, inout Int) -> CInt
    ) throws -> EncodedPicture {
        saver?.load()
        let raster = try picture.stacked()
        options.deadline.watch(raster)
        let encoded = try save { bytes, count in unsafe body(raster, &bytes, &count) }
        try check(encoded, isOf: PixelSize(width: raster.width, height: raster.height))
        return encoded
    }

    /// Runs a libvips saver.
    @safe
    func save(_ body: (inout UnsafeMutableRawPointer?, inout Int) -> CInt) throws(VipsError) -> EncodedPicture {
        var bytes: UnsafeMutableRawPointer?
        var count = 0
        VipsError.forget()
        let failed = unsafe body(&bytes, &count)
        guard failed == 0, let bytes = unsafe bytes, count > 0 else { throw VipsError.take("save") }
        return unsafe EncodedPicture(owning: UnsafeRawBufferPointer(start: bytes, count: count))
    }
}

extension Coder {
    /// Checks that an encoder produced an image of a size.
    ///
    /// - Throws: `WorkerReply.Failure.refused`, since the encoder fails for every source of this size.
    func check(_ encoded: EncodedPicture, isOf size: PixelSize) throws(WorkerReply.Failure) {
        let isMade = encoded.withSpan { bytes in
            guard case .image(let header) = ImageSniffer.sniff(bytes, totalLength: bytes.count),
                header.format == format, header.width == size.width, header.height == size.height
            else { return false }
            return format != .avif || HEIFItemData.primaryLength(bytes) > 0
        }
        guard isMade else {
            throw .refused(
                "the \(format) encoder produced no image of \(size) pixels; it may need more than workers.memory"
            )
        }
    }
}

/// A loader or saver of libvips, and the module that contains it in modular builds.
struct VipsPart {
    /// The name of the operation, such as `jpegload_buffer`.
    let operation: String
    var module: VipsModules.Module?

    /// The GObject class of the operation, such as `VipsForeignSavePngBuffer`; `nil` if libvips does not have it.
    ///
    /// Versions of libvips name classes after the library that they use, so only the name of the operation is constant.
    var className: String? {
        let type = unsafe vips_type_find("VipsOperation", operation)
        guard type != 0, let name = unsafe g_type_name(type) else { return nil }
        return unsafe String(cString: name)
    }

    /// Whether libvips has the operation or its module is installed.
    var isThere: Bool { className != nil || module?.isInstalled ?? false }

    /// Permits the operation, and no other one of its format, after `VipsForeign` has been blocked.
    ///
    /// The classes of modules are not blocked, since they are registered later.
    func unblock() {
        guard let className else { return }
        unsafe vips_operation_block_set(className, 0)
    }

    /// Loads the module, if there is one; only the first call has an effect.
    func load() { module?.load() }
}
