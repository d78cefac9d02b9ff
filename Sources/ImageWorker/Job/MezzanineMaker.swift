import CVips
import ImagePlan

/// Makes an original's mezzanine: sRGB of eight bits as every result is, not turned, without metadata: what keeps some is made of the original.
struct MezzanineMaker {
    let decoder: SourceDecoder
    let facts: SourceDecoder.Facts
    let mezzanine: Mezzanine
    let deadline: Deadline

    /// JPEG without chroma subsampling: results are like those of the original by SSIM 0.995 at least (MezzanineTests); at 92 it was
    /// 0.992 for some.
    private static let jpegQuality: CInt = 96
    /// Lossless WebP at the least effort for what has transparency: lossy WebP halves the colours' resolution, which shows at edges.
    private static let webpEffort = 0

    /// Makes it, of what it shares with other outputs if there is such.
    ///
    /// - Throws: `VipsError` or `WorkerReply.Failure`.
    func make(from shared: SharedDecode?) throws -> OutputMaker.Made {
        var clock = StageClock()
        let size = Reduction(
            factor: mezzanine.factor,
            original: ImageHeader(format: facts.format, width: facts.size.width, height: facts.size.height)
        ).size
        let factor = decoder.loadFactor(of: mezzanine)
        let opened = try shared?.raster(factor) ?? decoder.open(factor: factor)
        clock.endDecode()
        // Greys and RGB are averaged first, and then converted, as results are; the rest the other way round.
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

    /// Opaque pictures are halved, as `Resampler` begins, so that fine lines come out as they do of the original; those with a rest are
    /// scaled as a whole, since a rest that went would shift the others a little.
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
                    // Huffman tables of its own would save a thirtieth of the bytes and take three times as long.
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
