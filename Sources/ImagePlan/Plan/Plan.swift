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
