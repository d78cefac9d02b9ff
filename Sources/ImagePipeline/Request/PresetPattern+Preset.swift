package import HTTPCache
package import ImagePlan

extension PresetPattern {
    /// Creates the pattern of a preset.
    ///
    /// - Parameter preset: the preset's current definition; `nil` if it is no longer configured.
    package init(name: String, preset: Preset?) {
        let parameters = preset?.plan.canonicalParameters
        let steps = (parameters?.steps ?? []).joined(separator: "&")
        self.init(
            name: name,
            steps: steps.isEmpty ? "" : "&\(steps)&",
            settings: (parameters?.rest ?? []).map { "&\($0)&" }
        )
    }
}
