/// Another original that a variant is made with: of a watermark, of a mask.
package struct Ingredient: Sendable {
    /// As the plan has it (`IngredientPath.text`).
    package let name: String
    /// The parameter that names it, for errors.
    package let parameter: String
    package let origin: OriginRequest

    /// Names an original.
    package init(name: String, parameter: String, origin: OriginRequest) {
        self.name = name
        self.parameter = parameter
        self.origin = origin
    }

    /// The same original, of which nothing is kept.
    var withoutStorage: Ingredient {
        Ingredient(name: name, parameter: parameter, origin: origin.withoutStorage)
    }
}
