package import HTTPCache
package import ImagePlan

extension PresetPattern {
    /// Describes a preset.
    ///
    /// - Parameter preset: what the name stands for now; `nil` where no such preset is configured any more.
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
