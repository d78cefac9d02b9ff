import ImagePipeline
import ImagePlan
import OriginTransfer

extension Explainer {
    /// The other originals that a request names: where each is asked for, and as what it is kept; no section where there are none.
    func ingredientSections(_ resolved: ResolvedRequest) -> [Explanation.Section] {
        let ingredients = resolved.anyVariant.ingredients
        guard !ingredients.isEmpty else { return [] }
        let facts = ingredients.map { ingredient in
            Explanation.Fact(
                ingredient.name,
                .string(ingredient.origin.place),
                .parameter(ingredient.parameter),
                details: [
                    Explanation.Fact("source", .string(ingredient.origin.source.name)),
                    Explanation.Fact("original", .string(ingredient.origin.key.description)),
                ]
            )
        }
        return [Explanation.Section(name: "ingredients", facts: facts)]
    }

    /// The first of a request's other originals whose address may not be asked, where no name needs to be resolved for that.
    func ingredientRefusal(_ resolved: ResolvedRequest) -> Problem? {
        for ingredient in resolved.anyVariant.ingredients {
            guard let verdict = ingredient.origin.verdict, verdict.decision == .block else { continue }
            return Problem(.ingredient(ingredient.parameter, .addressRefused(verdict.rule)))
        }
        return nil
    }
}
