extension Plan {
    /// Another original that a plan needs.
    package struct Ingredient: Hashable, Sendable {
        package let path: IngredientPath
        /// The parameter that names it first.
        package let parameter: String
    }

    /// The other originals that the steps need, each once, in the order in which they are named.
    package var ingredients: [Ingredient] {
        var found: [Ingredient] = []
        for step in steps {
            guard let path = step.ingredient, !found.contains(where: { $0.path == path }) else { continue }
            found.append(Ingredient(path: path, parameter: step.parameters.first?.name ?? "plan"))
        }
        return found
    }

    /// The font families that the steps name, each with the parameter that names it.
    package var fonts: [(family: String, parameter: String)] {
        steps.compactMap { step in step.font.map { ($0, step.parameters.first?.name ?? "plan") } }
    }
}
