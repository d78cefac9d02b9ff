/// `flip`: mirrors the image.
package struct FlipStep: SingleParameterStep {
    package static let name = "flip"
    package static let form = ValueForm.choice(Direction.allCases.map(\.rawValue), otherNames: otherNames)
    package static let example = Direction.horizontal.rawValue
    private static let otherNames = ["horizontal": "h", "vertical": "v", "both": "hv", "x": "h", "y": "v"]

    /// Left to right, top to bottom, or both.
    package enum Direction: String, Hashable, Sendable, CaseIterable {
        case horizontal = "h"
        case vertical = "v"
        case both = "hv"
    }

    package let direction: Direction

    /// Creates a flip.
    package init(direction: Direction) {
        self.direction = direction
    }

    package init?(parsing parameter: Parameter, in context: StepContext) throws(RequestError) {
        direction = try parameter.value == "vh" ? .both : parameter.keyword()
    }

    package var value: String { direction.rawValue }

    package func shape(after picture: PictureShape) throws(RequestError) -> PictureShape {
        var shape = picture
        let turned = picture.corners.turnedClockwise.turnedClockwise
        shape.corners =
            switch direction {
            case .horizontal: picture.corners.mirroredHorizontally
            case .vertical: turned.mirroredHorizontally
            case .both: turned
            }
        return shape
    }

    package var gainMapFollows: Bool { true }

    package func loadRequirement(on picture: PictureShape) -> LoadRequirement { .anyScale }
}
