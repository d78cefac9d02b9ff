extension Plan {
    /// The version in front of every canonical text: raised when the same text begins to mean other pixels.
    package static let canonicalVersion = "1"

    /// Version, `?`, and a query: the steps in order, then attributes and settings that are not defaults, sorted by name.
    static func canonicalText(of steps: [any TransformStep], _ settings: PlanSettings) -> String {
        var rest: [String: String] = [:]
        for step in steps {
            for attribute in step.attributeParameters { rest[attribute.name] = attribute.value }
        }
        for setting in PlanSetting.all {
            if let value = setting.canonicalValue(settings) { rest[setting.name] = value }
        }
        let parameters =
            steps.flatMap { $0.parameters }
            + rest.sorted { $0.key < $1.key }.map { Parameter($0.key, $0.value) }
        let query = parameters.map { "\($0.name)=\(PercentCoding.encodedValue($0.value))" }.joined(separator: "&")
        return "\(canonicalVersion)?\(query)"
    }

    /// The pairs of the canonical text: those of the steps, in order, and those of attributes and settings.
    package var canonicalParameters: (steps: [String], rest: [String]) {
        let pairs = canonicalText.dropFirst(Self.canonicalVersion.count + 1).split(separator: "&").map { String($0) }
        let count = steps.reduce(0) { $0 + $1.parameters.count }
        return (Array(pairs.prefix(count)), Array(pairs.dropFirst(count)))
    }

    /// Reads a canonical text; anything but the very text that the plan itself would have is refused.
    package init(canonicalText text: String) throws(RequestError) {
        let start = Self.canonicalVersion + "?"
        guard text.hasPrefix(start) else {
            throw RequestError(parameter: "plan", reason: "is not a canonical text of version \(Self.canonicalVersion)")
        }
        let parsed = try RequestLanguage.parse(query: String(text.dropFirst(start.count)), options: ParseOptions())
        guard parsed.plan.canonicalText == text else {
            throw RequestError(parameter: "plan", reason: "is not in canonical form")
        }
        self = parsed.plan
    }
}
