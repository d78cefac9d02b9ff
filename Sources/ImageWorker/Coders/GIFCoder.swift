import CVips
import ImagePlan

/// GIF: decoded by libnsgif, encoded by cgif.
struct GIFCoder: Coder {
    let format = ImageFormat.gif
    let loader: VipsPart? = VipsPart(operation: "gifload_buffer")
    let saver: VipsPart? = VipsPart(operation: "gifsave_buffer")
    let traits: EncoderTraits? = EncoderTraits(
        hasAlpha: true,
        hasAnimation: true,
        // Apart from the palette, which every GIF has.
        isLosslessPossible: true,
        longestSide: 65_535
    )
    let settings: [PlanSetting] = [.progressive, .effort]
    let decodesAnimation = true

    /// The quantisation effort, 1–10: libvips' default of 7 is three times slower than 3, with similar palettes.
    private static let standardEffort = 3
    /// The least effort that keeps the colours of a frame with at most 256; below, libimagequant ignores their lowest bits.
    private static let exactEffort = 4

    func corrected(_ bytes: Span<UInt8>) -> [UInt8]? { GIFEndCodes.added(to: bytes) }

    func open(_ source: SourceMapping, _ options: DecodingOptions) throws -> Raster {
        try Raster.make("load") { out in
            unsafe edge_vips_load_gif(
                source.decodable.baseAddress,
                source.decodable.count,
                &out,
                options.firstFrame,
                options.frameCount
            )
        }
    }

    func encode(_ picture: FinishedPicture, _ options: EncodingOptions) throws -> EncodedPicture {
        let pixels = picture.frames.count * picture.size.width * picture.size.height
        let isCounted = pixels <= Palette.largestCounted
        let picture = try isCounted ? picture.inMemory(options.deadline) : picture
        let keepsColours =
            try isCounted && picture.frames.allSatisfy { try $0.bands < 3 || !Palette(of: $0).isTooLarge }
        let raster = try picture.stacked()
        options.deadline.watch(raster)
        return try save { bytes, count in
            unsafe edge_vips_save_gif(
                raster.pointer,
                &bytes,
                &count,
                options.effort(in: 1...10, standard: keepsColours ? Self.exactEffort : Self.standardEffort),
                // How far the palette of an earlier frame may be from a frame's own to be used again, 0–256; 3 is libvips' default.
                keepsColours ? 0 : 3,
                options.settings.isProgressive ? 1 : 0,
                options.strips ? 1 : 0
            )
        }
    }
}
