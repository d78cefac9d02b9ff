import ImagePipeline
import ImagePlan

extension RequestResolver {
    /// The auxiliary images of a plan, which are originals of configured sources.
    ///
    /// - Parameter source: the rule of the main image, which limits their number.
    /// - Throws: `Problem` with the parameter.
    func auxiliaries(of parsed: ParsedQuery, within source: SourceRule) throws(Problem) -> [Auxiliary] {
        let plan = parsed.plan
        let refusal = MarkRules.refusal(
            of: plan,
            sources: table.sources.keys.sorted(),
            rule: { table.sources[$0]?.rule },
            fonts: table.fonts
        )
        if let refusal { throw Problem(refusal) }
        let wanted = plan.auxiliaries
        let limit = source.limits.auxiliaries
        if wanted.count > limit {
            let reason = "exceeds the limit of \(limit) auxiliary images per request (limits.auxiliaries)"
            throw Problem(RequestError(parameter: wanted[limit].parameter, reason: reason))
        }
        // The images of presets are the operator's choice.
        let chosen = parsed.presets.flatMap { table.remote.options.presets[$0]?.plan.auxiliaries.map(\.path) ?? [] }
        var found: [Auxiliary] = []
        for auxiliary in wanted {
            guard let entry = table.sources[auxiliary.path.path.source] else { continue }
            let ruled = ruled(entry, auxiliary.path.path)
            do throws(Problem) {
                if parsed.statedNames.contains(auxiliary.parameter), !chosen.contains(auxiliary.path) {
                    try checkUse(parsed, ruled)
                }
                try checkAccess(ruled)
            } catch {
                throw Problem(error.status, error.detail, parameter: auxiliary.parameter)
            }
            do {
                let origin = try origin(of: ruled)
                let name = auxiliary.path.text
                found.append(Auxiliary(name: name, parameter: auxiliary.parameter, origin: origin))
            } catch {
                let reason = (error as? RequestError)?.reason ?? "is invalid"
                let whole = "names an image whose path \(reason)"
                throw Problem(RequestError(parameter: auxiliary.parameter, reason: whole))
            }
        }
        return found
    }
}
