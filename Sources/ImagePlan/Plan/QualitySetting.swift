/// The value of `q`: how the quality of a lossy result is chosen.
package enum QualitySetting: Hashable, Sendable {
    /// The source's defaults (`QualityDefaults`).
    case standard
    /// One number, 1–100, on the scale of whichever format the result has; for PNG only if the request names it.
    case number(Int)
    /// Numbers, 1–100, for some formats; the others have the source's defaults.
    case byFormat([LossyFormat: Int])
    /// The quality nearest to a perceptual distance: the level's, or `quality.distance` of the source without one.
    case search(PerceptualLevel?)

    private static let automatic = "auto"
    private static let numbers = 1...100

    /// Whether the quality is found by search.
    package var isSearch: Bool {
        if case .search = self { true } else { false }
    }

    /// The number for a format; `nil` if the setting has none for it.
    package func number(for format: ImageFormat) -> Int? {
        switch self {
        case .standard, .search: nil
        case .number(let number): number
        case .byFormat(let numbers): LossyFormat(format).flatMap { numbers[$0] }
        }
    }

    /// The setting reduced to the numbers of some formats: one number if it means the same, `standard` if none is left.
    package func limited(to formats: Set<LossyFormat>) -> QualitySetting {
        guard case .byFormat(let all) = self else { return self }
        let kept = all.filter { formats.contains($0.key) }
        guard let first = kept.values.first else { return .standard }
        let numbered = formats.count > 1 ? formats.subtracting([.png]) : formats
        return Set(kept.keys) == numbered && kept.values.allSatisfy { $0 == first } ? .number(first) : .byFormat(kept)
    }

    /// The canonical value of `q`; `nil` for `standard`.
    package var text: String? {
        switch self {
        case .standard: nil
        case .number(let number): String(number)
        case .byFormat(let numbers):
            numbers.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.key.rawValue):\($0.value)" }
                .joined(separator: ",")
        case .search(nil): Self.automatic
        case .search(let level?): "\(Self.automatic):\(level.rawValue)"
        }
    }
}

extension QualitySetting {
    /// Parses the value of `q`.
    ///
    /// - Throws: 400, naming `q`.
    package init(parsing parameter: Parameter) throws(RequestError) {
        let value = parameter.value
        if value == Self.automatic {
            self = .search(nil)
        } else if value.hasPrefix(Self.automatic + ":") {
            let level = Parameter(parameter.name, String(value.dropFirst(Self.automatic.count + 1)))
            self = .search(try level.keyword())
        } else if value.utf8.contains(where: { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ",") }) {
            self = .byFormat(try Self.numbersByFormat(parameter))
        } else {
            guard let number = Self.parsed(value) else {
                throw parameter.error(
                    "must be a whole number from 1 to 100, auto, auto:LEVEL, or numbers by format such as jpeg:80,avif:60"
                )
            }
            self = .number(number)
        }
    }

    private static func parsed(_ text: String) -> Int? {
        try? Parameter("q", text).integer(in: numbers)
    }

    private static func numbersByFormat(_ parameter: Parameter) throws(RequestError) -> [LossyFormat: Int] {
        var found: [LossyFormat: Int] = [:]
        for part in parameter.parts(separatedBy: ",") {
            let halves = part.parts(separatedBy: ":")
            guard halves.count == 2 else {
                throw parameter.error("must state each number as FORMAT:NUMBER, such as jpeg:80,avif:60")
            }
            let format = try LossyFormat(parsing: halves[0])
            guard let number = parsed(halves[1].value) else {
                throw parameter.error("must state a whole number from 1 to 100 for \(format.rawValue)")
            }
            guard found.updateValue(number, forKey: format) == nil else {
                throw parameter.error("states \(format.rawValue) more than once")
            }
        }
        return found
    }
}

/// A format whose encoder has a quality: the names in `q=jpeg:80,avif:60`.
package enum LossyFormat: String, Hashable, Sendable, CaseIterable {
    case jpeg
    case webp
    case avif
    case jxl
    /// Lossy only with a palette (`PlanSettings.paletteQuality`).
    case png

    /// The lossy format that an image format is; `nil` for others.
    package init?(_ format: ImageFormat) {
        switch format {
        case .jpeg: self = .jpeg
        case .webp: self = .webp
        case .avif: self = .avif
        case .jxl: self = .jxl
        case .png: self = .png
        default: return nil
        }
    }

    /// Parses a name; `jpg` is another spelling of `jpeg`.
    fileprivate init(parsing parameter: Parameter) throws(RequestError) {
        let name = parameter.value
        if let format = FormatSetting(rawValue: name), !format.isMetadata, format.lossyFormats.isEmpty {
            throw parameter.error("has no meaning for \(name), which is always lossless")
        }
        self = name == "jpg" ? .jpeg : try parameter.keyword(otherNames: ["heif": "avif", "jpegxl": "jxl"])
    }
}

/// A perceptual quality, the same for every format: the level in `q=auto:eco`.
package enum PerceptualLevel: String, Hashable, Sendable, CaseIterable {
    case low
    case eco
    case good
    case best

    /// The distance that the result is to have from the image, in thousandths (`QualityDefaults.distance`).
    package var distance: Int {
        switch self {
        case .low: 2_000
        case .eco: 1_500
        case .good: 1_000
        case .best: 700
        }
    }
}

extension FormatSetting {
    /// The lossy formats that a result may have.
    package var lossyFormats: Set<LossyFormat> {
        switch self {
        case .auto, .source: Set(LossyFormat.allCases)
        case .jpeg: [.jpeg]
        case .webp: [.webp]
        case .avif: [.avif]
        case .jxl: [.jxl]
        case .png: [.png]
        case .gif, .tiff, .json, .blurhash, .thumbhash, .lqip: []
        }
    }
}

extension PlanSetting {
    /// `q`: a number, numbers by format, or a search for the quality that scores nearest to a target.
    package static let quality = PlanSetting(
        name: "q",
        defaultText: "set by the source",
        // Editors have no control for levels and for numbers by format.
        form: .either([
            ValueForm.Item("quality", .integer(1...100)), ValueForm.Item("automatic", .choice(["auto"])),
        ]),
        example: "75",
        read: { (parameter, settings) throws(RequestError) in
            settings.quality = try QualitySetting(parsing: parameter)
        },
        canonicalValue: { $0.quality.text }
    )
}
