/// Matches the variants of a preset: those requested by its name, and those with equal steps and settings.
///
/// A variant requested step by step, without the preset, is the same cache entry as the preset's.
package struct PresetPattern: Hashable, Sendable {
    package let name: String
    /// The preset's steps in canonical form, enclosed in `&`; empty if it has none.
    let steps: String
    /// The preset's attributes and settings, each enclosed in `&`.
    let settings: [String]

    /// Creates a pattern.
    ///
    /// - Parameters:
    ///   - steps: the canonical text's steps, enclosed in `&`; empty for none.
    ///   - settings: attributes and settings, each enclosed in `&`.
    package init(name: String, steps: String, settings: [String]) {
        self.name = name
        self.steps = steps
        self.settings = settings
    }

    /// Whether a variant belongs to the preset.
    ///
    /// - Parameters:
    ///   - plan: the variant's canonical text, optionally followed by a bucket's name.
    ///   - presets: the presets named in the request for which the variant was made.
    func matches(plan: String, presets: [String]) -> Bool {
        if presets.contains(name) { return true }
        guard !steps.isEmpty || !settings.isEmpty, let mark = plan.firstIndex(of: "?") else { return false }
        let query = "&\(plan[plan.index(after: mark)...].prefix { $0 != " " })&"
        return query.contains(steps) && settings.allSatisfy { query.contains($0) }
    }
}
