/// `mask`: leaves a shape of the picture, antialiased; what lies outside becomes transparent.
package struct MaskStep: SingleParameterStep {
    package static let name = "mask"

    /// A shape as large as fits, in the middle of the picture; it keeps its proportions but for the ellipse, which fills the picture.
    package enum Shape: String, Hashable, Sendable, CaseIterable {
        case circle, ellipse, triangle, diamond, pentagon, hexagon, octagon, star, heart, squircle
    }

    package let shape: Shape

    /// Creates the step.
    package init(shape: Shape) {
        self.shape = shape
    }

    package init?(parsing parameter: Parameter, in context: StepContext) throws(RequestError) {
        guard let shape = Shape(rawValue: parameter.value) else {
            let names = Shape.allCases.map(\.rawValue).joined(separator: ", ")
            throw parameter.error("must be a shape (\(names)); a picture as a mask is not supported by this version")
        }
        self.shape = shape
    }

    package var value: String { shape.rawValue }

    package var makesAlpha: Bool { true }

    package func cost(on picture: PictureShape) -> Int { picture.size.pixels.multipliedSaturated(by: 3) }
}
