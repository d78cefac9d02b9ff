import CVips
import ImagePlan

/// One format's decoder and encoder (SDWebImage's `SDImageCoder`): one file of this folder a format, and a line in `CoderRegistry`.
protocol Coder: Sendable {
    var format: ImageFormat { get }
    /// What reads the format; `nil` where libvips has no part in it.
    var loader: VipsPart? { get }
    /// What writes it; `nil` where libvips has no part in it.
    var saver: VipsPart? { get }
    /// What its encoder can; `nil` for a format that no result has.
    var traits: EncoderTraits? { get }
    /// The settings beside `q` that its encoder makes use of.
    var settings: [PlanSetting] { get }
    /// Whether more frames than the first are decoded.
    var decodesAnimation: Bool { get }
    /// Whether the source has no pixels, and is drawn as large as it is wanted.
    var drawsAtAnySize: Bool { get }
    /// A tiny file of the format, for trying a decoder that has no encoder beside it.
    var sample: [UInt8]? { get }

    /// What the library reads in place of a file that it would read wrong; `nil` for the file itself.
    func corrected(_ bytes: Span<UInt8>) -> [UInt8]?

    /// The size that is decoded, where the file may show a part of it only; `nil` for what is shown whole.
    func storedSize(of source: SourceMapping) -> PixelSize?

    /// Opens a source: reads headers at once and pixels, as far as the format allows, when they are asked for.
    ///
    /// What it gives must not be used after `source` is gone.
    /// - Throws: `VipsError` or `WorkerReply.Failure`.
    func open(_ source: SourceMapping, _ options: DecodingOptions) throws -> Raster

    /// Encodes a finished picture, and with it computes all pixels that nobody has asked for before.
    ///
    /// - Throws: `VipsError` or `WorkerReply.Failure`.
    func encode(_ picture: FinishedPicture, _ options: EncodingOptions) throws -> EncodedPicture
}

/// How to open a source.
struct DecodingOptions {
    /// 1, 2, 4 or 8, for a JPEG.
    var shrink = 1
    /// All frames, stacked, where the coder decodes them; else `frame` alone.
    var allFrames = false
    /// The frame of an animation, zero-based, composed over those before it.
    var frame = 0
    /// The page of a source that has several, zero-based.
    var page = 0
    /// Dots an inch at which what has no pixels is drawn.
    var dpi = PlanSetting.standardDPI
    /// How much larger than at `dpi` it is drawn.
    var scale = 1.0
    /// When what decodes at once must give up; `nil` for never.
    var deadline: Deadline?

    /// The frame that is opened first, as libvips counts.
    var firstFrame: CInt { allFrames ? 0 : CInt(frame) }
}

/// Defaults: a still format that is only read.
extension Coder {
    var saver: VipsPart? { nil }
    var traits: EncoderTraits? { nil }
    var settings: [PlanSetting] { [] }
    var decodesAnimation: Bool { false }
    var drawsAtAnySize: Bool { false }
    var sample: [UInt8]? { nil }

    func corrected(_: Span<UInt8>) -> [UInt8]? { nil }
    func storedSize(of _: SourceMapping) -> PixelSize? { nil }

    func encode(_: FinishedPicture, _: EncodingOptions) throws -> EncodedPicture {
        throw WorkerReply.Failure.unsupported("\(format) is not encoded here")
    }

    /// Whether bytes look like this format (`SDImageCoder.canDecode(from:)`).
    func canDecode(from bytes: Span<UInt8>) -> Bool {
        guard case .image(let header) = ImageSniffer.sniff(bytes, totalLength: bytes.count) else { return false }
        return header.format == format
    }

    /// Whether this machine has what the decoder needs, as far as can be told without loading it.
    var isDecoderThere: Bool { loader?.isThere ?? true }
    /// Whether this machine has what the encoder needs.
    var isEncoderThere: Bool { traits != nil && (saver?.isThere ?? true) }

    /// Runs the loader of libvips on a whole source, its module loaded first.
    @safe
    func load(
        _ source: SourceMapping,
        _ body: (UnsafeRawPointer?, Int, inout UnsafeMutablePointer<VipsImage>?) -> CInt
    ) throws(VipsError) -> Raster {
        loader?.load()
        return try Raster.make("load") { out in unsafe body(source.decodable.baseAddress, source.decodable.count, &out)
        }
    }

    /// Runs the saver of libvips on a finished still, its module loaded first; gives up at the deadline.
    ///
    /// - Throws: `VipsError`, or `WorkerReply.Failure` where what came of it is no picture.
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

    /// Runs a saver of libvips.
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
    /// Makes sure that an encoder has made a picture, and of this size.
    ///
    /// libheif gives a file without a picture where its encoder has no memory, and calls that success.
    /// - Throws: `WorkerReply.Failure.refused`: of this size the encoder makes none, whatever the source.
    func check(_ encoded: EncodedPicture, isOf size: PixelSize) throws(WorkerReply.Failure) {
        let isMade = encoded.withSpan { bytes in
            guard case .image(let header) = ImageSniffer.sniff(bytes, totalLength: bytes.count),
                header.format == format, header.width == size.width, header.height == size.height
            else { return false }
            return format != .avif || HEIFItemData.primaryLength(bytes) > 0
        }
        guard isMade else {
            throw .refused("\(format)'s encoder made nothing of \(size) pixels; it may need more than workers.memory")
        }
    }
}

/// A loader or saver of libvips, and the module that it lives in where libvips is built so.
struct VipsPart {
    /// The GObject class whose operations may run, such as `VipsForeignLoadJpeg`.
    let className: String
    /// The operation that is run, such as `jpegload_buffer`.
    let operation: String
    var module: VipsModules.Module?

    /// Whether libvips has it, or the module is there to be loaded.
    var isThere: Bool {
        unsafe vips_type_find("VipsOperation", operation) != 0 || module?.isInstalled ?? false
    }

    /// Loads the module, once; a part of libvips itself needs nothing.
    func load() { module?.load() }
}
