/// `mask`: keeps a shape of the image, or what another image's luma lets through; the rest becomes transparent.
package struct MaskStep: SingleParameterStep {
    package static let name = "mask"
    package static let form = ValueForm.either([
        ValueForm.Item("shape", .choice(Shape.allCases.map(\.rawValue))), ValueForm.Item("image", .text()),
    ])
    package static let example = Shape.circle.rawValue

    /// An antialiased shape, centred and as large as fits; it keeps its proportions, except that the ellipse fills the image.
    package enum Shape: String, Hashable, Sendable, CaseIterable {
        case circle, ellipse, triangle, diamond, pentagon, hexagon, octagon, star, heart, squircle
    }

    /// The area to keep.
    package enum Outline: Hashable, Sendable {
        case shape(Shape)
        /// The luma times the alpha of another image, stretched to this one.
        case picture(AuxiliaryPath)
    }

    package let outline: Outline

    /// Creates the step with a shape.
    package init(shape: Shape) {
        outline = .shape(shape)
    }

    /// Creates the step with another image.
    package init(picture: AuxiliaryPath) {
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
                "must be a shape (\(names.joined(separator: ", "))) or an image as SOURCE/PATH\(hint)"
            )
        }
        outline = .picture(try AuxiliaryPath(parsing: parameter))
    }

    package var value: String {
        switch outline {
        case .shape(let shape): shape.rawValue
        case .picture(let path): path.text
        }
    }

    package var auxiliary: AuxiliaryPath? {
        if case .picture(let path) = outline { path } else { nil }
    }

    package var makesAlpha: Bool { true }

    package func cost(on picture: PictureShape) -> Int { picture.size.pixels.multipliedSaturated(by: 3) }
}
