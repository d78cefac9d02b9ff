import HTTPCache
import ImagePipeline
import ImagePlan
import OriginTransfer

extension Explainer {
    /// The auxiliary images of a request with their URLs and cache keys; no section if there are none.
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

    /// The refusal of the first auxiliary image with a refused address, as far as it is known without resolving names.
    func ingredientRefusal(_ resolved: ResolvedRequest) -> Problem? {
        for ingredient in resolved.anyVariant.ingredients {
            guard let verdict = ingredient.origin.verdict, verdict.decision == .block else { continue }
            return Problem(.ingredient(ingredient.parameter, .addressRefused(verdict.rule)))
        }
        return nil
    }
}
