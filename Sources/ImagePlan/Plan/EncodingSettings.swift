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
