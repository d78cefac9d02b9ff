/// The encoder settings of a request, other than format and quality.
///
/// Each coder uses the settings its format supports and ignores the rest, so that one URL works for every format `auto` may pick.
package struct EncodingSettings: Hashable, Sendable {
    /// Whether encoding must not change any pixel.
    package var isLossless: Bool
    /// Whether the file is progressive or interlaced: viewers can show a coarse image while it loads.
    package var isProgressive: Bool
    /// The encoder's effort, 0 (fastest) to 9 (smallest file) on the format's own scale; `nil` takes the format's default.
    package var effort: Int?
    package var chroma: ChromaSetting
    /// The preprocessing level of a near-lossless WebP, 0 (most loss) to 99; `nil` takes the configured one.
    package var nearLossless: Int?
    /// Whether a lossy WebP uses the sharper, slower RGB to YUV conversion.
    package var usesSharpYUV: Bool
    /// The quality of a lossy WebP's alpha plane, 0–100; `nil` takes the configured one.
    package var alphaQuality: Int?
    /// The largest size of the result in bytes; `nil` for no limit.
    package var maximumBytes: Int?

    /// Creates settings, with the defaults for everything not given.
    package init(
        isLossless: Bool = false,
        isProgressive: Bool = false,
        effort: Int? = nil,
        chroma: ChromaSetting = .auto,
        nearLossless: Int? = nil,
        usesSharpYUV: Bool = false,
        alphaQuality: Int? = nil,
        maximumBytes: Int? = nil
    ) {
        self.isLossless = isLossless
        self.isProgressive = isProgressive
        self.effort = effort
        self.chroma = chroma
        self.nearLossless = nearLossless
        self.usesSharpYUV = usesSharpYUV
        self.alphaQuality = alphaQuality
        self.maximumBytes = maximumBytes
    }

    /// The range of `effort`.
    package static let efforts = 0...9
    /// The range of `near_lossless` and `alpha_q`.
    package static let percentages = 0...100
    /// The range of `max_bytes`.
    package static let byteCounts = 1...999_999_999
}

/// The value of `chroma`: the chroma subsampling of a lossy format.
package enum ChromaSetting: String, Hashable, Sendable, CaseIterable {
    /// The encoder decides from the image.
    case auto
    /// 4:2:0, half the resolution in both directions.
    case half = "420"
    /// 4:4:4, the full resolution.
    case full = "444"
}

extension PlanSetting {
    /// `lossless`: for WebP, AVIF, JPEG XL, and PNG, which is lossless without `q`, too; GIF and TIFF always are.
    package static let lossless = PlanSetting(
        name: "lossless",
        defaultText: "0, or the configured one for WebP",
        form: .flag,
        example: "1",
        read: { (parameter, settings) throws(RequestError) in
            settings.encoding.isLossless = try parameter.flag()
        },
        canonicalValue: { $0.encoding.isLossless ? "1" : nil }
    )

    /// `near_lossless`: adjusts the pixels of a lossless WebP for better compression; 100, the default, turns it off.
    package static let nearLossless = PlanSetting(
        name: "near_lossless",
        defaultText: "100, or the configured one",
        form: .integer(EncodingSettings.percentages),
        example: "60",
        read: { (parameter, settings) throws(RequestError) in
            let level = try parameter.integer(in: EncodingSettings.percentages)
            settings.encoding.nearLossless = level == 100 ? nil : level
        },
        canonicalValue: { $0.encoding.nearLossless.map { String($0) } }
    )

    /// `progressive`: for JPEG, PNG and GIF (interlaced).
    package static let progressive = PlanSetting(
        name: "progressive",
        defaultText: "0",
        form: .flag,
        example: "1",
        read: { (parameter, settings) throws(RequestError) in
            settings.encoding.isProgressive = try parameter.flag()
        },
        canonicalValue: { $0.encoding.isProgressive ? "1" : nil }
    )

    /// `effort`: 0–9, clamped to each format's own scale (WebP ends at 6).
    package static let effort = PlanSetting(
        name: "effort",
        defaultText: "set by the format",
        form: .integer(EncodingSettings.efforts),
        example: "6",
        read: { (parameter, settings) throws(RequestError) in
            settings.encoding.effort = try parameter.integer(in: EncodingSettings.efforts)
        },
        canonicalValue: { $0.encoding.effort.map { String($0) } }
    )

    /// `chroma`: for JPEG and AVIF; lossy WebP is always 4:2:0 (RFC 9649 §2.5).
    package static let chroma = PlanSetting(
        name: "chroma",
        defaultText: "auto",
        form: .choice(ChromaSetting.allCases.map(\.rawValue)),
        example: "444",
        read: { (parameter, settings) throws(RequestError) in
            settings.encoding.chroma = try parameter.keyword()
        },
        canonicalValue: { $0.encoding.chroma == .auto ? nil : $0.encoding.chroma.rawValue }
    )

    /// `sharp_yuv`: for lossy WebP.
    package static let sharpYUV = PlanSetting(
        name: "sharp_yuv",
        defaultText: "0, or the configured one",
        form: .flag,
        example: "1",
        read: { (parameter, settings) throws(RequestError) in
            settings.encoding.usesSharpYUV = try parameter.flag()
        },
        canonicalValue: { $0.encoding.usesSharpYUV ? "1" : nil }
    )

    /// `alpha_q`: for lossy WebP.
    package static let alphaQuality = PlanSetting(
        name: "alpha_q",
        defaultText: "the configured one",
        form: .integer(EncodingSettings.percentages),
        example: "80",
        read: { (parameter, settings) throws(RequestError) in
            settings.encoding.alphaQuality = try parameter.integer(in: EncodingSettings.percentages)
        },
        canonicalValue: { $0.encoding.alphaQuality.map { String($0) } }
    )

    /// `max_bytes`: an upper limit on the result's size; lossy formats lower their quality to meet it.
    package static let maximumBytes = PlanSetting(
        name: "max_bytes",
        defaultText: "no limit",
        form: .integer(EncodingSettings.byteCounts, .bytes),
        example: "50000",
        read: { (parameter, settings) throws(RequestError) in
            settings.encoding.maximumBytes = try parameter.integer(in: EncodingSettings.byteCounts)
        },
        canonicalValue: { $0.encoding.maximumBytes.map { String($0) } }
    )
}
