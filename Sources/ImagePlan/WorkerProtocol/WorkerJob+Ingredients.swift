/// How a job's ingredients travel: a count, then each one's name, length, format and limit.
extension WorkerJob {
    func write(_ ingredients: [Ingredient], to writer: inout MessageWriter) {
        writer.write(UInt8(ingredients.count))
        for ingredient in ingredients {
            writer.write(text: ingredient.name)
            writer.write(UInt64(ingredient.length))
            writer.write(ingredient.format.rawValue)
            writer.write(UInt64(ingredient.maximumPixels))
        }
    }

    static func readIngredients(_ reader: inout MessageReader) throws(WorkerMessageError) -> [Ingredient] {
        let count = try reader.read(UInt8.self, in: 0...WorkerMessage.maximumIngredients, "ingredients")
        var ingredients: [Ingredient] = []
        for _ in 0..<count {
            let ingredient = try Ingredient(
                name: reader.readText(maximum: IngredientPath.longest, "ingredient"),
                length: reader.read(UInt64.self, in: lengths, "ingredientLength"),
                format: reader.read(ImageFormat.self, "ingredientFormat"),
                maximumPixels: reader.read(UInt64.self, in: lengths, "ingredientPixels")
            )
            ingredients.append(ingredient)
        }
        return ingredients
    }

    /// - Throws: `WorkerMessageError` where a value is outside of the protocol's bounds.
    func validateIngredients() throws(WorkerMessageError) {
        guard ingredients.count <= WorkerMessage.maximumIngredients else { throw .field("ingredients") }
        for ingredient in ingredients {
            guard ingredient.name.utf8.count <= IngredientPath.longest,
                ingredient.name.unicodeScalars.allSatisfy({ !$0.isControl })
            else { throw .field("ingredient") }
            guard Self.lengths.contains(ingredient.length) else { throw .field("ingredientLength") }
            guard Self.lengths.contains(ingredient.maximumPixels) else { throw .field("ingredientPixels") }
        }
    }
}
