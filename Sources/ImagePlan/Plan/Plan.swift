/// A description of a transform: the steps in order, the background, and how to encode the result.
///
/// A value identified by its canonical text, which is part of the cache key and is sent to workers.
package struct Plan: Hashable, Sendable {
    /// The steps in the order they run, after EXIF orientation.
    package let steps: [any TransformStep]
    package let settings: PlanSettings
    /// The same text for all equivalent requests; `Plan(canonicalText:)` parses it.
    package let canonicalText: String

    /// Creates a plan.
    package init(steps: [any TransformStep] = [], settings: PlanSettings = PlanSettings()) {
        self.steps = steps
        var settings = settings.normalized
        if Self.obstacle(in: steps) != nil { settings.dynamicRange = .sdr }
        self.settings = settings
        canonicalText = Self.canonicalText(of: steps, self.settings)
    }

    /// The plan that only decodes and encodes again.
    package static let identity = Plan()

    /// The colour under transparent pixels; `nil` keeps them transparent, or white if the format has no alpha.
    package var background: Color? { settings.background }

    /// Whether a step lays a colour under the picture, which fills what earlier steps have left transparent.
    package var laysColor: Bool { steps.contains { ($0 as? TintStep)?.mode == .destOver } }

    /// Whether the plan has no steps: pixels do not change, except for a background under alpha.
    package var isIdentity: Bool { steps.isEmpty }

    /// Whether an opaque source can give a result with transparent pixels.
    package var makesAlpha: Bool { hasAlpha(source: false) }

    /// Whether the result can have transparent pixels, for a source with or without them.
    package func hasAlpha(source: Bool) -> Bool {
        if let background, background.isOpaque { return false }
        return steps.reduce(source) { hasAlpha, step in
            let tint = step as? TintStep
            return tint?.mode == .destOver && tint?.color.isOpaque == true ? false : hasAlpha || step.makesAlpha
        }
    }

    /// The same plan for a vector image, which has no resolution of its own: it is drawn at the sides that the resize states in pixels.
    package var growing: Plan {
        Plan(steps: steps.map { ($0 as? ResizeStep)?.growing ?? $0 }, settings: settings)
    }

    package static func == (left: Plan, right: Plan) -> Bool { left.canonicalText == right.canonicalText }

    package func hash(into hasher: inout Hasher) { hasher.combine(canonicalText) }
}

extension Plan {
    /// The version prefix of canonical texts; raised when the same text starts to mean different pixels.
    package static let canonicalVersion = "1"

    /// The version, `?`, and a query: steps in order, then attributes and settings other than the defaults, sorted by name.
    private static func canonicalText(of steps: [any TransformStep], _ settings: PlanSettings) -> String {
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

    /// The name–value pairs of the canonical text: those of the steps, in order, and the attributes and settings.
    package var canonicalParameters: (steps: [String], rest: [String]) {
        let pairs = canonicalText.dropFirst(Self.canonicalVersion.count + 1).split(separator: "&").map { String($0) }
        let count = steps.reduce(0) { $0 + $1.parameters.count }
        return (Array(pairs.prefix(count)), Array(pairs.dropFirst(count)))
    }
}

extension Plan {
    /// An auxiliary image of a plan: a mask or a watermark that is an original of its own.
    package struct Auxiliary: Hashable, Sendable {
        package let path: AuxiliaryPath
        /// The first parameter that names it.
        package let parameter: String
    }

    /// The auxiliary images the steps need, without duplicates, in order of appearance.
    package var auxiliaries: [Auxiliary] {
        var found: [Auxiliary] = []
        for step in steps {
            guard let path = step.auxiliary, !found.contains(where: { $0.path == path }) else { continue }
            found.append(Auxiliary(path: path, parameter: step.parameters.first?.name ?? "plan"))
        }
        return found
    }

    /// The font families the steps name, each with its parameter.
    package var fonts: [(family: String, parameter: String)] {
        steps.compactMap { step in step.font.map { ($0, step.parameters.first?.name ?? "plan") } }
    }
}
