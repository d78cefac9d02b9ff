/// What a request says of the encoder's work, beside format and quality.
///
/// Each coder takes what its format has and passes over the rest, so that one URL serves every format that `auto` may choose.
package struct EncodingSettings: Hashable, Sendable {
    /// Whether every pixel must come out as it went in.
    package var isLossless: Bool
    /// Whether the file shows a coarse picture before it is complete.
    package var isProgressive: Bool
    /// The encoder's effort, 0 (fast) to 9 (small) on the format's own scale; `nil` takes the format's default.
    package var effort: Int?
    package var chroma: ChromaSetting
    /// What pixels of a lossless WebP may lose, 0 (most) to 99; `nil` takes the configuration's.
    package var nearLossless: Int?
    /// Whether a WebP's colours are subsampled with care for edges.
    package var usesSharpYUV: Bool
    /// The quality of a lossy WebP's alpha plane, 0–100; `nil` takes the configuration's.
    package var alphaQuality: Int?
    /// The most bytes that the result may have; `nil` for no bound.
    package var maximumBytes: Int?

    /// Creates settings, the defaults where nothing is given.
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
    /// The range of `max_bytes`: nine digits, and more than a result may have.
    package static let byteCounts = 1...999_999_999
}

/// The value of `chroma`: at which resolution a lossy format keeps colours.
package enum ChromaSetting: String, Hashable, Sendable, CaseIterable {
    /// The encoder looks at the picture.
    case auto
    /// At half the resolution in both directions.
    case half = "420"
    /// At the full resolution.
    case full = "444"
}

extension PlanSetting {
    /// `lossless`: for WebP, AVIF and JPEG XL; PNG, GIF and TIFF lose nothing of the pixels they hold anyway.
    package static let lossless = PlanSetting(
        name: "lossless",
        defaultText: "0, or the configuration's for WebP",
        read: { (parameter, settings) throws(RequestError) in
            settings.encoding.isLossless = try parameter.flag()
        },
        canonicalValue: { $0.encoding.isLossless ? "1" : nil }
    )

    /// `near_lossless`: a lossless WebP whose pixels are first made easier to compress; 100 is off, and the default.
    package static let nearLossless = PlanSetting(
        name: "near_lossless",
        defaultText: "100, or the configuration's",
        read: { (parameter, settings) throws(RequestError) in
            let level = try parameter.integer(in: 0...100)
            settings.encoding.nearLossless = level == 100 ? nil : level
        },
        canonicalValue: { $0.encoding.nearLossless.map { String($0) } }
    )

    /// `progressive`: for JPEG, PNG and GIF (interlaced).
    package static let progressive = PlanSetting(
        name: "progressive",
        defaultText: "0",
        read: { (parameter, settings) throws(RequestError) in
            settings.encoding.isProgressive = try parameter.flag()
        },
        canonicalValue: { $0.encoding.isProgressive ? "1" : nil }
    )

    /// `effort`: 0–9 on each format's own scale, cut to it (WebP ends at 6).
    package static let effort = PlanSetting(
        name: "effort",
        defaultText: "the format's own",
        read: { (parameter, settings) throws(RequestError) in
            settings.encoding.effort = try parameter.integer(in: EncodingSettings.efforts)
        },
        canonicalValue: { $0.encoding.effort.map { String($0) } }
    )

    /// `chroma`: for JPEG and AVIF; a lossy WebP is 4:2:0 always (RFC 9649 §2.5).
    package static let chroma = PlanSetting(
        name: "chroma",
        defaultText: "auto",
        read: { (parameter, settings) throws(RequestError) in
            settings.encoding.chroma = try parameter.keyword()
        },
        canonicalValue: { $0.encoding.chroma == .auto ? nil : $0.encoding.chroma.rawValue }
    )

    /// `sharp_yuv`: for lossy WebP.
    package static let sharpYUV = PlanSetting(
        name: "sharp_yuv",
        defaultText: "0, or the configuration's",
        read: { (parameter, settings) throws(RequestError) in
            settings.encoding.usesSharpYUV = try parameter.flag()
        },
        canonicalValue: { $0.encoding.usesSharpYUV ? "1" : nil }
    )

    /// `alpha_q`: for lossy WebP.
    package static let alphaQuality = PlanSetting(
        name: "alpha_q",
        defaultText: "the configuration's",
        read: { (parameter, settings) throws(RequestError) in
            settings.encoding.alphaQuality = try parameter.integer(in: 0...100)
        },
        canonicalValue: { $0.encoding.alphaQuality.map { String($0) } }
    )

    /// `max_bytes`: the result never has more; a lossy format gives up quality for it.
    package static let maximumBytes = PlanSetting(
        name: "max_bytes",
        defaultText: "no bound",
        read: { (parameter, settings) throws(RequestError) in
            settings.encoding.maximumBytes = try parameter.integer(in: EncodingSettings.byteCounts)
        },
        canonicalValue: { $0.encoding.maximumBytes.map { String($0) } }
    )
}
