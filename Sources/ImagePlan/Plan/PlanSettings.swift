/// The settings of a request: everything besides its steps.
package struct PlanSettings: Hashable, Sendable {
    /// The colour of exposed areas (`pad`, `rotate`, `round`) and under alpha; `nil` is transparent, or white without alpha.
    package var background: Color?
    package var format: FormatSetting
    package var quality: QualitySetting
    package var metadata: MetadataPolicy
    /// Whether a JPEG keeps a gain map; `sdr` if the plan can have no such result.
    package var dynamicRange: DynamicRange
    package var encoding: EncodingSettings
    /// The resolution, in dots per inch, at which vector sources are rendered; `nil` is librsvg's 72.
    package var dpi: Int?
    package var animation: AnimationSettings
    /// Whether to refuse a result that would lose frames or transparency.
    package var isStrict: Bool
    /// The pixel of the result whose colour `format=json` reports; `nil` for none.
    package var pixel: PixelPoint?

    /// Creates settings, with the defaults for everything not given.
    package init(
        background: Color? = nil,
        format: FormatSetting = .auto,
        quality: QualitySetting = .standard,
        metadata: MetadataPolicy = .strip,
        dynamicRange: DynamicRange = .sdr,
        encoding: EncodingSettings = EncodingSettings(),
        dpi: Int? = nil,
        animation: AnimationSettings = AnimationSettings(),
        isStrict: Bool = false,
        pixel: PixelPoint? = nil
    ) {
        self.background = background
        self.format = format
        self.quality = quality
        self.metadata = metadata
        self.dynamicRange = dynamicRange
        self.encoding = encoding
        self.dpi = dpi
        self.animation = animation
        self.isStrict = isStrict
        self.pixel = pixel
    }

    /// Whether to search for the quality whose result scores nearest to a target (`q=auto`).
    package var seeksQuality: Bool { quality.isSearch }

    /// The quality, 1–99, of a PNG's palette; `nil` for a PNG that keeps every pixel.
    ///
    /// A plain number counts only if the request names PNG: with `format=auto`, `q=80` is about the formats that are always lossy.
    package var paletteQuality: Int? {
        guard !encoding.isLossless else { return nil }
        let stated: Int? =
            switch quality {
            case .number(let number): format == .png ? number : nil
            case .byFormat(let numbers): numbers[.png]
            case .standard, .search: nil
            }
        return stated == 100 ? nil : stated
    }
}

/// The value of `format`.
package enum FormatSetting: String, Hashable, Sendable, CaseIterable {
    /// Negotiated by the request's `Accept` bucket.
    case auto
    /// The source's format, if there is an encoder for it and browsers show it.
    case source
    case jpeg
    case png
    case webp
    case avif
    case gif
    case jxl
    case tiff
    /// A JSON description of the image.
    case json
    /// The BlurHash, as text.
    case blurhash
    /// The ThumbHash in base64, as text.
    case thumbhash
    /// A tiny WebP preview as a `data:` URI, as text.
    case lqip

    /// Whether the result is text about the image instead of an image.
    package var isMetadata: Bool {
        switch self {
        case .json, .blurhash, .thumbhash, .lqip: true
        default: false
        }
    }
}

extension FormatSetting {
    /// The image format that the setting names; `nil` for the others.
    package var image: ImageFormat? {
        switch self {
        case .jpeg: .jpeg
        case .png: .png
        case .webp: .webp
        case .avif: .avif
        case .gif: .gif
        case .jxl: .jxl
        case .tiff: .tiff
        case .auto, .source, .json, .blurhash, .thumbhash, .lqip: nil
        }
    }
}

/// The value of `meta`: which metadata of the source to keep.
package enum MetadataPolicy: String, Hashable, Sendable, CaseIterable {
    case strip
    /// Copyright and author fields only.
    case copyright
    case keep
}

extension PlanSetting {
    /// `bg`: a colour; all fully transparent colours mean the default.
    package static let background = PlanSetting(
        name: "bg",
        defaultText: "transparent, or white if the format has no alpha",
        form: .color,
        example: "ffffff",
        read: { (parameter, settings) throws(RequestError) in
            let color = try Color(parsing: parameter)
            settings.background = color.alpha == 0 ? nil : color
        },
        canonicalValue: { $0.background?.text }
    )

    /// `format`: the output format; `jpg` is another spelling of `jpeg`.
    package static let format = PlanSetting(
        name: "format",
        defaultText: "auto",
        form: .choice(FormatSetting.allCases.map(\.rawValue), otherNames: otherFormatNames),
        example: "webp",
        read: { (parameter, settings) throws(RequestError) in
            settings.format = parameter.value == "jpg" ? .jpeg : try parameter.keyword(otherNames: otherFormatNames)
        },
        canonicalValue: { $0.format == .auto ? nil : $0.format.rawValue }
    )

    /// Common names for the formats, used for suggestions.
    private static let otherFormatNames = ["jfif": "jpeg", "jpe": "jpeg", "jpg": "jpeg", "tif": "tiff"]

    /// `meta`: which metadata of the source to keep.
    package static let metadata = PlanSetting(
        name: "meta",
        defaultText: "strip",
        form: .choice(MetadataPolicy.allCases.map(\.rawValue)),
        example: "copyright",
        read: { (parameter, settings) throws(RequestError) in
            settings.metadata = try parameter.keyword()
        },
        canonicalValue: { $0.metadata == .strip ? nil : $0.metadata.rawValue }
    )

    /// The default resolution in dots per inch.
    package static let standardDPI = 72
    private static let resolutions = 1...1200

    /// `dpi`: the resolution at which vector sources are rendered.
    package static let dpi = PlanSetting(
        name: "dpi",
        defaultText: "72",
        form: .integer(resolutions),
        example: "144",
        read: { (parameter, settings) throws(RequestError) in
            let dpi = try parameter.integer(in: resolutions)
            settings.dpi = dpi == standardDPI ? nil : dpi
        },
        canonicalValue: { $0.dpi.map { String($0) } }
    )

    /// `strict`: refuses the request if frames or transparency would be lost (SDWebImage's `MatchAnimatedImageClass`).
    package static let strict = PlanSetting(
        name: "strict",
        defaultText: "0",
        form: .flag,
        example: "1",
        read: { (parameter, settings) throws(RequestError) in
            settings.isStrict = try parameter.flag()
        },
        canonicalValue: { $0.isStrict ? "1" : nil }
    )
}

extension Plan {
    /// Whether a canonical text contains `q=auto`, whose distance is the source's; a level has its own.
    package static func takesConfiguredDistance(canonicalText text: String) -> Bool {
        // Values are percent-encoded, so an equals sign or ampersand is always a separator.
        text.utf8.split { $0 == UInt8(ascii: "&") || $0 == UInt8(ascii: "?") }
            .contains { $0.elementsEqual("q=auto".utf8) }
    }

    /// Whether a canonical text contains `q=auto`, with a level or without.
    package static func seeksQuality(canonicalText text: String) -> Bool {
        text.utf8.split { $0 == UInt8(ascii: "&") || $0 == UInt8(ascii: "?") }
            .contains { $0.starts(with: "q=auto".utf8) }
    }
}
