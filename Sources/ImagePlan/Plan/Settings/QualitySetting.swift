extension PlanSetting {
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
}

extension Plan {
    /// Whether a canonical text, as this type writes it, says `q=auto`.
    package static func seeksQuality(canonicalText text: String) -> Bool {
        // Values are percent-encoded: an equals sign or an ampersand in one is none here.
        text.utf8.split { $0 == UInt8(ascii: "&") || $0 == UInt8(ascii: "?") }
            .contains { $0.elementsEqual("q=auto".utf8) }
    }
}
