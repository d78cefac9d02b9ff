/// How the pictures of a preset are told from others: by the name under which they were asked, or by having been made alike.
///
/// A picture that was asked for without the preset, step by step, is the same file in the cache as the preset's.
package struct PresetPattern: Hashable, Sendable {
    package let name: String
    /// The steps of the preset as they stand in canonical texts, within `&`; empty where it has none.
    let steps: String
    /// Its attributes and settings, each within `&`.
    let settings: [String]

    /// Creates a pattern.
    ///
    /// - Parameters:
    ///   - steps: the steps of a canonical text, within `&`; empty for none.
    ///   - settings: attributes and settings, each within `&`.
    package init(name: String, steps: String, settings: [String]) {
        self.name = name
        self.steps = steps
        self.settings = settings
    }

    /// Whether a variant is one of the preset's.
    ///
    /// - Parameters:
    ///   - plan: its canonical text; a bucket's name may stand behind it.
    ///   - presets: the presets by which it was asked for when it was made.
    func matches(plan: String, presets: [String]) -> Bool {
        if presets.contains(name) { return true }
        guard !steps.isEmpty || !settings.isEmpty, let mark = plan.firstIndex(of: "?") else { return false }
        let query = "&\(plan[plan.index(after: mark)...].prefix { $0 != " " })&"
        return query.contains(steps) && settings.allSatisfy { query.contains($0) }
    }
}
