/// What a request says beside its steps: the background, and how the result is encoded.
package struct PlanSettings: Hashable, Sendable {
    /// Fills what pad, rotate and round bare, and lies under alpha; `nil` is transparent (white where the format has no alpha).
    package var background: Color?
    package var format: FormatSetting
    /// 1–100; `nil` takes the source's default for the format.
    package var quality: Int?
    package var metadata: MetadataPolicy
    package var encoding: EncodingSettings
    /// Dots an inch at which a source without pixels (SVG) is drawn; `nil` is the 72 of librsvg.
    package var dpi: Int?
    package var animation: AnimationSettings
    /// Whether a result that would lose frames or transparency is refused.
    package var isStrict: Bool
    /// Whether a lossy format's quality is the lowest that looks alike (`q=auto`); `quality` is `nil` then.
    package var seeksQuality: Bool

    /// Creates settings, the contract's defaults where nothing is given.
    package init(
        background: Color? = nil,
        format: FormatSetting = .auto,
        quality: Int? = nil,
        metadata: MetadataPolicy = .strip,
        encoding: EncodingSettings = EncodingSettings(),
        dpi: Int? = nil,
        animation: AnimationSettings = AnimationSettings(),
        isStrict: Bool = false,
        seeksQuality: Bool = false
    ) {
        self.background = background
        self.format = format
        self.quality = quality
        self.metadata = metadata
        self.encoding = encoding
        self.dpi = dpi
        self.animation = animation
        self.isStrict = isStrict
        self.seeksQuality = seeksQuality
    }
}

/// The value of `format`.
package enum FormatSetting: String, Hashable, Sendable, CaseIterable {
    /// Negotiated: the request's bucket answers (contract: format=auto).
    case auto
    /// The source's own format, where it is one that is encoded here.
    case source
    case jpeg
    case png
    case webp
    case avif
    case gif
    case jxl
    case tiff
    /// What is known of the picture, as JSON.
    case json
    /// Its BlurHash, as text.
    case blurhash
    /// A tiny WebP of it as a `data:` URI, as text.
    case lqip

    /// Whether the result is words about the picture.
    package var isWords: Bool {
        switch self {
        case .json, .blurhash, .lqip: true
        default: false
        }
    }
}

/// The value of `meta`: what of the source's metadata the result keeps.
package enum MetadataPolicy: String, Hashable, Sendable, CaseIterable {
    case strip
    /// Copyright and author fields only.
    case copyright
    case keep
}
