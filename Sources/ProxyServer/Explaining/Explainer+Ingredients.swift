import ImagePipeline
import ImagePlan

extension Explainer {
    /// The auxiliary images of a request with their URLs and cache keys; no section if there are none.
    func ingredientSections(_ resolved: ResolvedRequest) -> [Explanation.Section] {
        let ingredients = resolved.anyVariant.ingredients
        guard !ingredients.isEmpty else { return [] }
        let facts = ingredients.map { ingredient in
            Explanation.Fact(
                ingredient.name,
                .string(place(of: ingredient.origin)),
                .parameter(ingredient.parameter),
                details: [
                    Explanation.Fact("source", .string(ingredient.origin.source.name)),
                    Explanation.Fact("original", .string(ingredient.origin.key.description)),
                ]
            )
        }
        return [Explanation.Section(name: "ingredients", facts: facts)]
    }

    /// The URL or file of an original.
    private func place(of origin: OriginRequest) -> String {
        guard case .file(let root) = origin.source.location else { return origin.target }
        return (root == "/" ? "" : root) + "/" + origin.target
    }

    /// The refusal of the first auxiliary image with a refused address, as far as it is known without resolving names.
    func ingredientRefusal(_ resolved: ResolvedRequest) -> Problem? {
        for ingredient in resolved.anyVariant.ingredients where !ingredient.origin.source.isFolder {
            let origin = ingredient.origin
            let verdict = origin.verdict
            guard verdict.decision == .allow else {
                return Problem(.ingredient(ingredient.parameter, .addressRefused(verdict.rule)))
            }
        }
        return nil
    }
}
