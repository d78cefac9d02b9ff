import ImagePipeline
import ImagePlan

/// What a plan may name beside its own picture: pictures of configured sources, and configured fonts.
enum MarkRules {
    /// Why a plan names what is not there; `nil` where all of it is.
    ///
    /// - Parameters:
    ///   - sources: names of all sources; only read for a suggestion.
    ///   - rule: the rule of a source, by name.
    static func refusal(
        of plan: Plan,
        sources: @autoclosure () -> [String],
        rule: (String) -> SourceRule?,
        fonts: [String]
    ) -> RequestError? {
        for ingredient in plan.ingredients {
            let name = ingredient.path.path.source
            guard let rule = rule(name) else {
                let hint = NearestName.hint(name, among: sources())
                return RequestError(parameter: ingredient.parameter, reason: "there is no source '\(name)'\(hint)")
            }
            if rule.isRaw {
                let reason = "source '\(name)' is raw: it has no pictures"
                return RequestError(parameter: ingredient.parameter, reason: reason)
            }
        }
        for (family, parameter) in plan.fonts where !fonts.contains(family) {
            let reason =
                "there is no font '\(family)' here; fonts: \(fonts.joined(separator: ", "))"
                + NearestName.hint(family, among: fonts)
            return RequestError(parameter: parameter, reason: reason)
        }
        return nil
    }
}
