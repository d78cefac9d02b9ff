import CVips
import ImagePlan

/// PNG, with the frames of an animated one: true colour, or an exact palette or grey where the picture has no more colours than that.
struct PNGCoder: Coder {
    let format = ImageFormat.png
    let loader: VipsPart? = VipsPart(className: "VipsForeignLoadPng", operation: "pngload_buffer")
    let saver: VipsPart? = VipsPart(className: "VipsForeignSavePng", operation: "pngsave_buffer")
    let traits: EncoderTraits? = EncoderTraits(
        hasAlpha: true,
        hasAnimation: false,
        isLosslessPossible: true,
        longestSide: 1_000_000  // libpng's own bound on width and height.
    )
    let settings: [PlanSetting] = [.progressive, .effort]
    let decodesAnimation = true

    /// With all filters zlib level 3 costs what level 6 costs without any and saves a quarter; 6 costs photographs 2.5 times that
    /// for 3 % (Benchmarks/README.md).
    private static let standardCompression = 3
    /// Where much is flat, level 6 costs next to nothing and saves a third.
    private static let flatCompression = 6
    /// Pixels of a picture up to which its colours are counted: it must be in memory for that.
    private static let largestCounted = 16_000_000

    func open(_ source: SourceMapping, _ options: DecodingOptions) throws -> Raster {
        let still = try Raster.make("load") { out in
            unsafe edge_vips_load_png(source.bytes.baseAddress, source.bytes.count, &out)
        }
        .withColour(source.withSpan { bytes in PNGColour(bytes) })
        guard let animation = animation(source) else { return still }
        if options.allFrames {
            return try animation.composed(source, options.deadline).withMetadata { $0.copy(from: still) }
        }
        if options.frame > 0 {
            let frames = try animation.composed(source, options.deadline, through: options.frame)
            let (width, height) = (frames.width, frames.height / (options.frame + 1))
            return try frames.cropped(left: 0, top: options.frame * height, width: width, height: height)
                .withMetadata { metadata in
                    metadata.copy(from: still)
                    animation.describe(to: metadata)
                }
        }
        // The picture for those who know nothing of the animation: its first frame, mostly.
        return try still.withMetadata { metadata in animation.describe(to: metadata) }
    }

    /// The animation; `nil` for a still, and for one that breaks the rules, which is a still then (PNG, third edition, §4.9).
    private func animation(_ source: SourceMapping) -> AnimatedPNG? {
        source.withSpan { bytes in
            guard case .image(let header) = ImageSniffer.sniff(bytes, totalLength: bytes.count), header.frames > 1
            else {
                return nil
            }
            return try? AnimatedPNG(bytes)
        }
    }

    func encode(_ picture: FinishedPicture, _ options: EncodingOptions) throws -> EncodedPicture {
        let raster = try picture.stacked()
        options.deadline.watch(raster)
        guard raster.width * raster.height <= Self.largestCounted, raster.bands >= 3 else {
            return try encode(raster, options, compression: Self.standardCompression)
        }
        let computed = try raster.inMemory()
        let palette = try Palette(of: computed)
        // A palette has no place for metadata here, nor for interlacing; as many greys as 8 bits hold need none. An alpha band
        // that is opaque everywhere stays one: what a client is told of the picture is what it gets.
        let isWorthIt = palette.bits < 8 || !palette.isGrey
        let isPossible =
            !palette.isTooLarge && !(computed.hasAlpha && palette.isOpaque) && !options.settings.isProgressive
        if isPossible, isWorthIt, options.strips, 4 * palette.colours.count < computed.width * computed.height {
            let png = PalettePNG(
                palette: palette,
                width: computed.width,
                height: computed.height,
                compression: options.effort(in: 0...9, standard: Self.flatCompression)
            )
            return EncodedPicture(try png.encoded())
        }
        let compression = try computed.isMostlyFlat() ? Self.flatCompression : Self.standardCompression
        return try encode(palette.isGrey ? computed.asGrey() : computed, options, compression: compression)
    }

    private func encode(
        _ raster: Raster,
        _ options: EncodingOptions,
        compression: Int
    ) throws(VipsError) -> EncodedPicture {
        try save { bytes, count in
            unsafe edge_vips_save_png(
                raster.pointer,
                &bytes,
                &count,
                options.effort(in: 0...9, standard: compression),
                options.settings.isProgressive ? 1 : 0,
                options.strips ? 1 : 0
            )
        }
    }
}
