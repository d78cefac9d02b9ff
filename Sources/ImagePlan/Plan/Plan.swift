/// What to make of a picture: steps in order, a background, and how the result is encoded.
///
/// A pure value whose identity is its canonical text: the daemon's cache key and what it sends to a worker.
package struct Plan: Hashable, Sendable {
    /// In the order in which they run, on the picture after EXIF orientation.
    package let steps: [any TransformStep]
    package let settings: PlanSettings
    /// One spelling for all requests that mean the same; see `Plan(canonicalText:)`.
    package let canonicalText: String

    /// Creates a plan.
    package init(steps: [any TransformStep] = [], settings: PlanSettings = PlanSettings()) {
        self.steps = steps
        self.settings = settings.normalized
        canonicalText = Self.canonicalText(of: steps, self.settings)
    }

    /// Nothing but decoding and encoding again.
    package static let identity = Plan()

    /// What lies under transparent pixels; `nil` is transparent, and white where the format has no alpha.
    package var background: Color? { settings.background }

    /// Whether no step stands in the plan: the pixels stay as they are, but for a background under alpha.
    package var isIdentity: Bool { steps.isEmpty }

    /// Whether an opaque source can come out with transparent pixels.
    package var makesAlpha: Bool { hasAlpha(source: false) }

    /// Whether the result can have transparent pixels, given that the source has some or not.
    package func hasAlpha(source: Bool) -> Bool {
        if let background, background.isOpaque { return false }
        return source || steps.contains { $0.makesAlpha }
    }

    package static func == (left: Plan, right: Plan) -> Bool { left.canonicalText == right.canonicalText }

    package func hash(into hasher: inout Hasher) { hasher.combine(canonicalText) }
}

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

extension Plan {
    /// Another original that a plan needs.
    package struct Ingredient: Hashable, Sendable {
        package let path: IngredientPath
        /// The parameter that names it first.
        package let parameter: String
    }

    /// The other originals that the steps need, each once, in the order in which they are named.
    package var ingredients: [Ingredient] {
        var found: [Ingredient] = []
        for step in steps {
            guard let path = step.ingredient, !found.contains(where: { $0.path == path }) else { continue }
            found.append(Ingredient(path: path, parameter: step.parameters.first?.name ?? "plan"))
        }
        return found
    }

    /// The font families that the steps name, each with the parameter that names it.
    package var fonts: [(family: String, parameter: String)] {
        steps.compactMap { step in step.font.map { ($0, step.parameters.first?.name ?? "plan") } }
    }
}
