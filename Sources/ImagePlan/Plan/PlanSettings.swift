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

extension PlanSetting {
    /// `bg`: a colour; every fully transparent one is the default.
    package static let background = PlanSetting(
        name: "bg",
        defaultText: "transparent, or white without alpha",
        read: { (parameter, settings) throws(RequestError) in
            let color = try Color(parsing: parameter)
            settings.background = color.alpha == 0 ? nil : color
        },
        canonicalValue: { $0.background?.text }
    )

    /// `format`; `jpg` is another spelling of `jpeg`.
    package static let format = PlanSetting(
        name: "format",
        defaultText: "auto",
        read: { (parameter, settings) throws(RequestError) in
            settings.format = parameter.value == "jpg" ? .jpeg : try parameter.keyword(otherNames: otherFormatNames)
        },
        canonicalValue: { $0.format == .auto ? nil : $0.format.rawValue }
    )

    /// What other software calls formats.
    private static let otherFormatNames = ["jfif": "jpeg", "jpe": "jpeg", "tif": "tiff"]

    /// `q`: a number, or `auto` for the lowest that looks alike (`QualityDefaults.distance`).
    package static let quality = PlanSetting(
        name: "q",
        defaultText: "the source's for the format",
        read: { (parameter, settings) throws(RequestError) in
            settings.seeksQuality = parameter.value == automaticQuality
            settings.quality = settings.seeksQuality ? nil : try parameter.integer(in: 1...100)
        },
        canonicalValue: { $0.seeksQuality ? automaticQuality : $0.quality.map { String($0) } }
    )

    private static let automaticQuality = "auto"

    /// `meta`.
    package static let metadata = PlanSetting(
        name: "meta",
        defaultText: "strip",
        read: { (parameter, settings) throws(RequestError) in
            settings.metadata = try parameter.keyword()
        },
        canonicalValue: { $0.metadata == .strip ? nil : $0.metadata.rawValue }
    )

    /// The dots an inch that hold where nobody says others.
    package static let standardDPI = 72

    /// `dpi`: for sources without pixels.
    package static let dpi = PlanSetting(
        name: "dpi",
        defaultText: "72",
        read: { (parameter, settings) throws(RequestError) in
            let dpi = try parameter.integer(in: 1...1200)
            settings.dpi = dpi == standardDPI ? nil : dpi
        },
        canonicalValue: { $0.dpi.map { String($0) } }
    )

    /// `strict`: refuses rather than to drop frames or transparency (SDWebImage's `MatchAnimatedImageClass`).
    package static let strict = PlanSetting(
        name: "strict",
        defaultText: "0",
        read: { (parameter, settings) throws(RequestError) in
            settings.isStrict = try parameter.flag()
        },
        canonicalValue: { $0.isStrict ? "1" : nil }
    )
}

extension Plan {
    /// Whether a canonical text, as this type writes it, says `q=auto`.
    package static func seeksQuality(canonicalText text: String) -> Bool {
        // Values are percent-encoded: an equals sign or an ampersand in one is none here.
        text.utf8.split { $0 == UInt8(ascii: "&") || $0 == UInt8(ascii: "?") }
            .contains { $0.elementsEqual("q=auto".utf8) }
    }
}
