import ImagePipeline
import ImagePlan

/// Checks the auxiliary images and fonts that a plan names against the configuration.
enum MarkRules {
    /// The error for a source or font that does not exist; `nil` if all exist.
    ///
    /// - Parameters:
    ///   - sources: the names of all sources; only used for a suggestion.
    ///   - rule: returns the rule of a source by name.
    static func refusal(
        of plan: Plan,
        sources: @autoclosure () -> [String],
        rule: (String) -> SourceRule?,
        fonts: [String]
    ) -> RequestError? {
        for auxiliary in plan.auxiliaries {
            let name = auxiliary.path.path.source
            guard let rule = rule(name) else {
                let hint = NearestName.hint(name, among: sources())
                return RequestError(parameter: auxiliary.parameter, reason: "there is no source '\(name)'\(hint)")
            }
            if rule.isRaw {
                let reason = "source '\(name)' is raw: it has no images"
                return RequestError(parameter: auxiliary.parameter, reason: reason)
            }
        }
        for (family, parameter) in plan.fonts where !fonts.contains(family) {
            let reason =
                "there is no font '\(family)'; fonts: \(fonts.joined(separator: ", "))"
                + NearestName.hint(family, among: fonts)
            return RequestError(parameter: parameter, reason: reason)
        }
        return nil
    }
}
