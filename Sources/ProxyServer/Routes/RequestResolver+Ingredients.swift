import ImagePipeline
import ImagePlan

extension RequestResolver {
    /// The auxiliary images of a plan, which are originals of configured sources.
    ///
    /// - Parameter source: the rule of the main image, which limits their number.
    /// - Throws: `Problem` with the parameter.
    func ingredients(of plan: Plan, within source: SourceRule) throws(Problem) -> [Ingredient] {
        let refusal = MarkRules.refusal(
            of: plan,
            sources: table.sources.keys.sorted(),
            rule: { table.sources[$0]?.rule },
            fonts: table.fonts
        )
        if let refusal { throw Problem(refusal) }
        let wanted = plan.ingredients
        let limit = source.limits.ingredients
        if wanted.count > limit {
            let reason = "is one image too many; a request may name \(limit) (limits.ingredients)"
            throw Problem(RequestError(parameter: wanted[limit].parameter, reason: reason))
        }
        var found: [Ingredient] = []
        for ingredient in wanted {
            guard let rule = table.sources[ingredient.path.path.source]?.rule else { continue }
            do {
                let origin = try origin(of: rule, ingredient.path.path, forwardedQuery: "")
                let name = ingredient.path.text
                found.append(Ingredient(name: name, parameter: ingredient.parameter, origin: origin))
            } catch {
                let reason = (error as? RequestError)?.reason ?? "names nothing"
                let whole = "names an image whose path \(reason)"
                throw Problem(RequestError(parameter: ingredient.parameter, reason: whole))
            }
        }
        return found
    }
}
