import CVips
import CWebP
import ImagePlan

/// WebP: decoded by libvips and encoded by libwebp directly, since libvips exposes a third of its options.
struct WebPCoder: Coder {
    let format = ImageFormat.webp
    let loader: VipsPart? = VipsPart(operation: "webpload_buffer")
    // Used for metadata chunks only (WebPMetadata).
    let saver: VipsPart? = VipsPart(operation: "webpsave_buffer")
    let traits: EncoderTraits? = EncoderTraits(
        hasAlpha: true,
        hasAnimation: true,
        isLosslessPossible: true,
        longestSide: Int(WEBP_MAX_DIMENSION)
    )
    let settings: [PlanSetting] = [.lossless, .effort, .nearLossless, .sharpYUV, .alphaQuality, .maximumBytes]
    let decodesAnimation = true

    func open(_ source: SourceMapping, _ options: DecodingOptions) throws -> Raster {
        try Raster.make("load") { out in
            unsafe edge_vips_load_webp(
                source.bytes.baseAddress,
                source.bytes.count,
                &out,
                options.firstFrame,
                options.frameCount
            )
        }
    }

    func encode(_ picture: FinishedPicture, _ options: EncodingOptions) throws -> EncodedPicture {
        try encode(picture, options, targetBytes: nil)
    }

    /// Encodes, and lets libwebp search for the quality that gives `targetBytes`, which it may miss slightly.
    func encode(
        _ picture: FinishedPicture,
        _ options: EncodingOptions,
        targetBytes: Int?
    ) throws -> EncodedPicture {
        let configuration = try WebPConfiguration.make(options, targetBytes: targetBytes)
        let encoder = WebPEncoder(configuration: configuration, deadline: options.deadline)
        let encoded: EncodedPicture
        let first: Raster
        if let animation = picture.animation {
            (encoded, first) = try encoder.encode(picture.frames, animation)
        } else {
            options.deadline.watch(picture.frames[0])
            first = try picture.frames[0].inMemory()
            encoded = try encoder.encode(first)
        }
        return options.strips
            ? encoded : try WebPMetadata(of: picture.filter.apply(to: first)).added(to: encoded)
    }
}
