import CVips
import ImagePlan

/// Makes an original's mezzanine: 8-bit sRGB in stored orientation without metadata; outputs that keep metadata use the original.
struct MezzanineMaker {
    let decoder: SourceDecoder
    let facts: SourceDecoder.Facts
    let mezzanine: Mezzanine
    let deadline: Deadline

    /// The quality of a JPEG without chroma subsampling.
    ///
    /// Results have an SSIM of at least 0.995 against results of the original (MezzanineTests); at 92 some had 0.992.
    private static let jpegQuality: CInt = 96
    /// The effort of the lossless WebP for images with alpha; lossy WebP subsamples chroma, which shows at edges.
    private static let webpEffort = 0

    /// Makes the mezzanine, from the shared decoding if there is one.
    ///
    /// - Throws: `VipsError` or `WorkerReply.Failure`.
    func make(from shared: SharedDecode?) throws -> OutputMaker.Made {
        var clock = StageClock()
        let size = Reduction(
            factor: mezzanine.factor,
            original: ImageHeader(format: facts.format, width: facts.size.width, height: facts.size.height)
        ).size
        let factor = decoder.loadFactor(of: mezzanine)
        let opened = try shared?.raster(factor) ?? decoder.open(factor: factor, DecodingOptions(deadline: deadline))
        clock.endDecode()
        // Grey and RGB are scaled before conversion, as results are; other spaces are converted first.
        let isFirstScaled = opened.mayScaleBeforeConversion
        let source = isFirstScaled ? opened : try opened.convertedToSRGB(deadline)
        let scaled = try reduced(source, to: size)
        let converted = try isFirstScaled ? scaled.convertedToSRGB(deadline) : scaled
        clock.endTransform()
        deadline.watch(converted)
        let encoded = try encode(converted)
        try OutputLimit.check(encoded.count)
        clock.endEncode()
        let description = WorkerReply.Output(
            format: .picture(converted.hasAlpha ? .webp : .jpeg),
            width: size.width,
            height: size.height,
            frames: 1,
            hasAlpha: converted.hasAlpha,
            length: encoded.count
        )
        return OutputMaker.Made(description: description, encoded: encoded, timing: clock.timing)
    }

    /// Halves opaque images as `Resampler` does first, so that fine lines look as in results of the original.
    ///
    /// Images whose sides are not multiples are resized instead, since dropping the remainder would shift the rest.
    private func reduced(_ source: Raster, to size: PixelSize) throws -> Raster {
        let isWhole = source.width.isMultiple(of: size.width) && source.height.isMultiple(of: size.height)
        guard isWhole, source.format == VIPS_FORMAT_UCHAR, !source.hasAlpha else {
            return try source.transparently { frame in try frame.resized(width: size.width, height: size.height) }
        }
        return try source.reduced(by: source.width / size.width, deadline)
    }

    private func encode(_ raster: Raster) throws -> EncodedPicture {
        guard raster.hasAlpha else {
            return try JPEGCoder().save { bytes, count in
                unsafe edge_vips_save_jpeg(
                    raster.pointer,
                    &bytes,
                    &count,
                    Self.jpegQuality,
                    // Optimised Huffman tables save 3 % of the bytes and take three times as long.
                    0,
                    0,
                    VIPS_FOREIGN_SUBSAMPLE_OFF,
                    1
                )
            }
        }
        var options = EncodingOptions(quality: 100, deadline: deadline)
        options.isLossless = true
        options.settings.effort = Self.webpEffort
        let finished = FinishedPicture(frames: [raster], animation: nil, filter: MetadataFilter(policy: .strip))
        return try WebPCoder().encode(finished, options)
    }
}
