/// `pixelate`: replaces each square block, counted from the top left corner, by its mean colour.
package struct PixelateStep: SingleParameterStep {
    /// The largest block in pixels, after dpr scaling.
    package static let largestBlock = 16_384

    package static let name = "pixelate"
    package static let form = ValueForm.integer(blocks, .pixels)
    package static let example = "12"
    private static let blocks = 1...largestBlock

    /// The side of a block in pixels, 2–16384, after dpr scaling.
    package let block: Int

    /// Creates the step.
    package init(block: Int) {
        self.block = block
    }

    package init?(parsing parameter: Parameter, in context: StepContext) throws(RequestError) {
        let stated = try parameter.integer(in: Self.blocks)
        block = try context.scaled(FixedDecimal(stated), of: parameter, atMost: Self.largestBlock).rounded
        if block == 1 { return nil }
    }

    package var value: String { String(block) }

    /// Averaging and enlarging.
    package func cost(on picture: PictureShape) -> Int { picture.size.pixels.multipliedSaturated(by: 4) }
}
