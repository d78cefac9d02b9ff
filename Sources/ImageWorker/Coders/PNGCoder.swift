import CVips
import ImagePlan

/// PNG, including animated ones; stills are encoded as grey or with an exact palette if that is lossless, else as true colour, or with
/// the palette that comes nearest if the request has a quality for PNG.
struct PNGCoder: Coder {
    let format = ImageFormat.png
    let loader: VipsPart? = VipsPart(operation: "pngload_buffer")
    let saver: VipsPart? = VipsPart(operation: "pngsave_buffer")
    let traits: EncoderTraits? = EncoderTraits(
        hasAlpha: true,
        hasAnimation: true,
        isLosslessPossible: true,
        longestSide: 1_000_000  // libpng's limit on width and height.
    )
    let settings: [PlanSetting] = [.progressive, .effort]
    let decodesAnimation = true

    /// The zlib level of photographs.
    ///
    /// With all filters, level 3 takes as long as level 6 without filters and saves a quarter of the bytes. Level 6 takes 2.5 times as
    /// long on photographs and saves 3 % (Benchmarks/README.md).
    private static let standardCompression = 3
    /// On flat images level 6 costs almost nothing and saves a third.
    private static let flatCompression = 6

    func corrected(_ bytes: Span<UInt8>) -> [UInt8]? { PNGColour(bytes).withEffectiveProfile(bytes) }

    func open(_ source: SourceMapping, _ options: DecodingOptions) throws -> Raster {
        let still = try Raster.make("load") { out in
            unsafe edge_vips_load_png(source.decodable.baseAddress, source.decodable.count, &out)
        }
        .withColour(source.withSpan { bytes in PNGColour(bytes) })
        guard let animation = animation(source) else { return still }
        if options.allFrames || options.frame > 0 {
            let selected = options.selection(of: animation.frames.count)
            return try animation.composed(source, options.deadline, selected).withMetadata { $0.copy(from: still) }
        }
        // The default image, usually the first frame.
        return try still.withMetadata { metadata in animation.describe(to: metadata) }
    }

    /// Returns the animation; `nil` for a still image or a malformed animation, which is treated as still (PNG, third edition, §4.9).
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
        if let animation = picture.animation {
            let level = options.effort(in: 0...9, standard: Self.flatCompression)
            return try AnimatedPNGEncoder(options: options, compression: level).encode(picture, animation)
        }
        let raster = try picture.stacked()
        options.deadline.watch(raster)
        guard raster.width * raster.height <= Palette.largestCounted, raster.bands >= 3 else {
            return try encode(raster, options, compression: Self.standardCompression)
        }
        let computed = try raster.inMemory()
        let palette = try Palette(of: computed)
        // PalettePNG writes neither metadata nor interlacing, and 8-bit grey needs no palette. An opaque alpha band is kept, since
        // the reported description states that the result has alpha.
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
        let exact = try encode(palette.isGrey ? computed.asGrey() : computed, options, compression: compression)
        let pixels = computed.width * computed.height
        guard palette.isTooLarge, let quality = options.paletteQuality, pixels <= Self.largestReduced(options) else {
            return exact
        }
        try options.deadline.check()
        var reduced = try encode(computed, options, paletteQuality: quality)
        if computed.hasAlpha, !hasAlpha(reduced) {
            reduced = EncodedPicture(PalettePNG.withAlpha(reduced.copy))
        }
        // Dithering can make a smooth gradient larger.
        return reduced.count < exact.count ? reduced : exact
    }

    /// The effort of the search for a palette, on libvips' scale less one.
    ///
    /// At 4 of 10 a photograph of 512 × 383 has 35.1 dB and takes 0.12 s; at 7, libvips' default, 35.3 dB and at least twice as long; at
    /// 3 and below 33.1 dB, and 6 % more bytes.
    private static let paletteEffort = 3

    /// The maximum number of pixels of an image that gets a palette by quality, so that the search, which cannot be interrupted and takes
    /// 0.7 s per megapixel or, above effort 3, up to 2.7 s, stays within the usual deadline.
    private static func largestReduced(_ options: EncodingOptions) -> Int {
        options.effort(in: 0...9, standard: paletteEffort) > paletteEffort ? 2_000_000 : 6_000_000
    }

    /// Encodes with at most 256 colours, fewer if they reach the quality, and dithering (libimagequant, through libvips).
    private func encode(
        _ raster: Raster,
        _ options: EncodingOptions,
        paletteQuality: Int
    ) throws(VipsError) -> EncodedPicture {
        try save { bytes, count in
            unsafe edge_vips_save_png_palette(
                raster.pointer,
                &bytes,
                &count,
                CInt(paletteQuality),
                options.effort(in: 0...9, standard: Self.paletteEffort) + 1,
                options.effort(in: 0...9, standard: Self.flatCompression),
                options.settings.isProgressive ? 1 : 0,
                options.strips ? 1 : 0
            )
        }
    }

    /// Whether a PNG states transparency; libvips does not for a palette whose colours are all opaque.
    private func hasAlpha(_ encoded: EncodedPicture) -> Bool {
        encoded.withSpan { bytes in
            guard case .image(let header) = ImageSniffer.sniff(bytes, totalLength: bytes.count) else { return false }
            return header.hasAlpha ?? false
        }
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
