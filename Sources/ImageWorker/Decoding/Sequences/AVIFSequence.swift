import CAVIF
import CVips
import ImagePlan

/// The frames of an AVIF sequence, decoded by libavif.
///
/// libheif, which decodes stills, reads sequences only from 1.20 on. This type can be removed when libvips supports them.
@safe
final class AVIFSequence {
    private let decoder: UnsafeMutablePointer<avifDecoder>

    /// Parses a file's boxes; pixels are decoded by `frames`.
    ///
    /// - Parameter largest: the maximum pixels of a frame; libavif refuses larger ones before it decodes anything.
    /// - Throws: `WorkerReply.Failure`.
    init(_ source: SourceMapping, largest: Int) throws(WorkerReply.Failure) {
        guard let decoder = unsafe avifDecoderCreate() else { throw .worker("no memory for an animation") }
        unsafe self.decoder = decoder
        unsafe decoder.pointee.maxThreads = 1
        unsafe decoder.pointee.requestedSource = AVIF_DECODER_SOURCE_TRACKS
        unsafe decoder.pointee.imageSizeLimit = UInt32(clamping: largest)
        unsafe decoder.pointee.imageDimensionLimit = UInt32(PlanGeometry.longestSide)
        unsafe decoder.pointee.imageCountLimit = UInt32(AnimationSettings.frames.count)
        unsafe decoder.pointee.ignoreExif = AVIF_TRUE
        unsafe decoder.pointee.ignoreXMP = AVIF_TRUE
        unsafe decoder.pointee.strictFlags = avifStrictFlags(AVIF_STRICT_DISABLED.rawValue)
        let bytes = unsafe source.bytes.bindMemory(to: UInt8.self)
        try Self.check(unsafe avifDecoderSetIOMemory(decoder, bytes.baseAddress, bytes.count))
        try Self.check(unsafe avifDecoderParse(decoder))
    }

    deinit { unsafe avifDecoderDestroy(decoder) }

    private static func check(_ result: avifResult) throws(WorkerReply.Failure) {
        guard result != AVIF_RESULT_OK else { return }
        let text = unsafe String(cString: avifResultToString(result))
        let isMissing = result == AVIF_RESULT_NO_CODEC_AVAILABLE || result == AVIF_RESULT_NOT_IMPLEMENTED
        throw isMissing ? .unsupported("libavif: \(text)") : .broken("libavif: \(text)")
    }

    /// Returns consecutive frames, each as 8-bit sRGB in memory.
    ///
    /// - Parameters:
    ///   - selected: zero-based indices; decoding starts at the key frame before the first.
    ///   - deadline: checked before each frame; `nil` for none.
    ///   - change: applied to each frame after it is decoded.
    /// - Throws: `WorkerReply.Failure` or `VipsError`.
    func frames(
        _ selected: Range<Int>,
        _ deadline: Deadline?,
        _ change: (Raster) throws -> Raster
    ) throws -> [Raster] {
        guard unsafe selected.upperBound <= Int(decoder.pointee.imageCount) else {
            throw WorkerReply.Failure.broken("frames are missing")
        }
        var frames: [Raster] = []
        for index in selected {
            try deadline?.check()
            let isNext = !frames.isEmpty
            try Self.check(
                unsafe isNext ? avifDecoderNextImage(decoder) : avifDecoderNthImage(decoder, UInt32(index))
            )
            frames.append(try change(current()).convertedToSRGB(deadline).inMemory())
        }
        return frames
    }

    /// Returns the decoded image with its declared colours.
    private func current() throws -> Raster {
        guard let image = unsafe decoder.pointee.image else { throw WorkerReply.Failure.broken("libavif: no image") }
        let hasAlpha = unsafe decoder.pointee.alphaPresent != 0
        let isDeep = unsafe image.pointee.depth > 8
        let (width, height) = unsafe (Int(image.pointee.width), Int(image.pointee.height))
        let bands = hasAlpha ? 4 : 3
        let stride = width * bands * (isDeep ? 2 : 1)
        var pixels = [UInt8](repeating: 0, count: stride * height)
        let raster = try unsafe pixels.withUnsafeMutableBytes { bytes in
            var rgb = unsafe avifRGBImage()
            unsafe avifRGBImageSetDefaults(&rgb, image)
            unsafe rgb.depth = isDeep ? 16 : 8
            unsafe rgb.format = hasAlpha ? AVIF_RGB_FORMAT_RGBA : AVIF_RGB_FORMAT_RGB
            unsafe rgb.pixels = unsafe bytes.bindMemory(to: UInt8.self).baseAddress
            unsafe rgb.rowBytes = UInt32(stride)
            try Self.check(unsafe avifImageYUVToRGB(image, &rgb))
            return try unsafe Raster.interleaved(
                UnsafeRawBufferPointer(bytes),
                width: width,
                height: height,
                bands: bands,
                isDeep: isDeep
            )
        }
        let profile = unsafe Array(UnsafeBufferPointer(start: image.pointee.icc.data, count: image.pointee.icc.size))
        guard profile.isEmpty else { return try raster.withMetadata { $0.set(VIPS_META_ICC_NAME, profile) } }
        return try raster.withColour(
            unsafe StatedColour(
                primaries: Int(image.pointee.colorPrimaries),
                transfer: Int(image.pointee.transferCharacteristics)
            )
        )
    }
}

extension Raster {
    /// Returns an image of grey or RGB channels, with alpha or without, with a copy of bytes.
    ///
    /// - Parameter isDeep: whether a channel has 16 bits, in the machine's order, instead of 8.
    static func interleaved(
        _ bytes: UnsafeRawBufferPointer,
        width: Int,
        height: Int,
        bands: Int,
        isDeep: Bool
    ) throws(VipsError) -> Raster {
        precondition(bytes.count == width * height * bands * (isDeep ? 2 : 1))
        let image = unsafe vips_image_new_from_memory_copy(
            bytes.baseAddress,
            bytes.count,
            CInt(width),
            CInt(height),
            CInt(bands),
            isDeep ? VIPS_FORMAT_USHORT : VIPS_FORMAT_UCHAR
        )
        guard let image = unsafe image else { throw VipsError.take("new_from_memory") }
        let raster = unsafe Raster(owning: image)
        let interpretation =
            bands < 3
            ? isDeep ? VIPS_INTERPRETATION_GREY16 : VIPS_INTERPRETATION_B_W
            : isDeep ? VIPS_INTERPRETATION_RGB16 : VIPS_INTERPRETATION_sRGB
        return try raster.interpreted(as: interpretation)
    }

    /// Returns decoded frames of one size as one stack with the metadata that libvips' loaders of animations set.
    ///
    /// - Parameters:
    ///   - frames: some of the animation's frames.
    ///   - delays: the delays of all its frames, in milliseconds.
    static func animation(_ frames: [Raster], delays: [Int], of count: Int, rounds: Int) throws -> Raster {
        let (width, height, bands) = (frames[0].width, frames[0].height, frames[0].bands)
        guard frames.allSatisfy({ $0.width == width && $0.height == height && $0.bands == bands }) else {
            throw WorkerReply.Failure.broken("the frames differ in size")
        }
        return try Raster.stacked(frames).withMetadata { metadata in
            metadata.set(VIPS_META_PAGE_HEIGHT, height)
            metadata.set(VIPS_META_N_PAGES, count)
            if !delays.isEmpty { metadata.set(Animation.delayField, delays) }
            metadata.set(Animation.loopField, rounds)
        }
    }
}
