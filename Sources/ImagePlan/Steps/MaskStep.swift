/// `mask`: leaves a shape of the picture, antialiased, or what another picture lets show; the rest becomes transparent.
package struct MaskStep: SingleParameterStep {
    package static let name = "mask"

    /// A shape as large as fits, in the middle of the picture; it keeps its proportions but for the ellipse, which fills the picture.
    package enum Shape: String, Hashable, Sendable, CaseIterable {
        case circle, ellipse, triangle, diamond, pentagon, hexagon, octagon, star, heart, squircle
    }

    /// What is left.
    package enum Outline: Hashable, Sendable {
        case shape(Shape)
        /// As much as another picture, stretched to this one, is light and opaque: its luma times its alpha.
        case picture(IngredientPath)
    }

    package let outline: Outline

    /// Creates the step with a shape.
    package init(shape: Shape) {
        outline = .shape(shape)
    }

    /// Creates the step with another picture.
    package init(picture: IngredientPath) {
        outline = .picture(picture)
    }

    package init?(parsing parameter: Parameter, in context: StepContext) throws(RequestError) {
        if let shape = Shape(rawValue: parameter.value) {
            outline = .shape(shape)
            return
        }
        guard parameter.value.utf8.contains(UInt8(ascii: "/")) else {
            let names = Shape.allCases.map(\.rawValue)
            let hint = NearestName.hint(parameter.value, among: names)
            throw parameter.error(
                "must be a shape (\(names.joined(separator: ", "))) or a picture as SOURCE/PATH\(hint)"
            )
        }
        outline = .picture(try IngredientPath(parsing: parameter))
    }

    package var value: String {
        switch outline {
        case .shape(let shape): shape.rawValue
        case .picture(let path): path.text
        }
    }

    package var ingredient: IngredientPath? {
        if case .picture(let path) = outline { path } else { nil }
    }

    package var makesAlpha: Bool { true }

    package func cost(on picture: PictureShape) -> Int { picture.size.pixels.multipliedSaturated(by: 3) }
}
