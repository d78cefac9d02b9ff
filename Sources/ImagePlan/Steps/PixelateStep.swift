/// `pixelate`: squares of one colour, the mean of the pixels that they cover, from the top left corner on.
package struct PixelateStep: SingleParameterStep {
    /// The largest block in pixels, dpr multiplied in.
    package static let largestBlock = 16_384

    package static let name = "pixelate"

    /// A square's side in pixels, 2–16384, dpr multiplied in.
    package let block: Int

    /// Creates the step.
    package init(block: Int) {
        self.block = block
    }

    package init?(parsing parameter: Parameter, in context: StepContext) throws(RequestError) {
        let stated = try parameter.integer(in: 1...Self.largestBlock)
        block = try context.scaled(FixedDecimal(stated), of: parameter, atMost: Self.largestBlock).rounded
        if block == 1 { return nil }
    }

    package var value: String { String(block) }

    /// The means as floats, and the blow-up.
    package func cost(on picture: PictureShape) -> Int { picture.size.pixels.multipliedSaturated(by: 4) }
}
