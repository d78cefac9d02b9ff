/// `rotate`: rotates the image clockwise about its centre.
///
/// Quarter turns swap the sides; other angles grow the canvas. With `expand=0` the canvas keeps its size and cuts off the rest.
package struct RotateStep: SingleParameterStep {
    package static let name = "rotate"
    package static let attributes = [expandName]
    package static let form = ValueForm.angle
    package static let example = "90"
    package static let attributeForms = [ParameterForm(expandName, .flag, example: "0")]
    /// The attribute that controls whether the canvas grows.
    private static let expandName = "expand"

    /// The angle, clockwise, more than 0 and less than 360.
    package let degrees: FixedDecimal

    /// Whether the canvas keeps its size (SDWebImage's `fitSize: false`); never for a half turn, which fits anyway.
    package let keepsCanvas: Bool

    /// Creates a rotation; the angle is taken modulo 360.
    package init(degrees: FixedDecimal, keepsCanvas: Bool = false) {
        self.degrees = degrees.withinOneTurn
        self.keepsCanvas = keepsCanvas && self.degrees != FixedDecimal(180)
    }

    package init?(parsing parameter: Parameter, in context: StepContext) throws(RequestError) {
        self.init(degrees: try parameter.angle(), keepsCanvas: try context[Self.expandName]?.flag() == false)
        if self.degrees.millionths == 0 { return nil }
    }

    package static func check(attribute: Parameter) throws(RequestError) { _ = try attribute.flag() }

    package var attributeParameters: [Parameter] {
        keepsCanvas ? [Parameter(Self.expandName, "0")] : []
    }

    package var value: String { degrees.text }

    /// 1, 2 or 3 quarter turns clockwise; `nil` for any other angle.
    package var quarterTurns: Int? {
        degrees.millionths.isMultiple(of: 90_000_000) ? degrees.millionths / 90_000_000 : nil
    }

    /// The canvas after the step.
    package func canvas(for size: PixelSize) -> PixelSize {
        keepsCanvas ? size : bounds(of: size)
    }

    /// The bounding box of the rotated image, each side rounded half up and at least 1.
    ///
    /// Rounding down cuts at most a quarter of a pixel off the corners of the image.
    package func bounds(of size: PixelSize) -> PixelSize {
        if let quarterTurns { return quarterTurns.isMultiple(of: 2) ? size : size.transposed }
        let radians = degrees.value * .pi / 180
        let sine = abs(MathFunctions.sine(radians))
        let cosine = abs(MathFunctions.cosine(radians))
        let width = Double(size.width)
        let height = Double(size.height)
        return PixelSize(
            width: max(1, Int((width * cosine + height * sine).rounded(.toNearestOrAwayFromZero))),
            height: max(1, Int((width * sine + height * cosine).rounded(.toNearestOrAwayFromZero)))
        )
    }

    package func shape(after picture: PictureShape) throws(RequestError) -> PictureShape {
        var shape = PictureShape(size: canvas(for: picture.size))
        guard let quarterTurns, shape.size == bounds(of: picture.size) else { return shape }
        shape.corners = (0..<quarterTurns).reduce(picture.corners) { corners, _ in corners.turnedClockwise }
        return shape
    }

    package var makesAlpha: Bool { quarterTurns == nil || keepsCanvas }

    package var gainMapFollows: Bool { !makesAlpha }

    package func cost(on picture: PictureShape) -> Int {
        quarterTurns != nil ? picture.size.pixels : canvas(for: picture.size).pixels.multipliedSaturated(by: 8)
    }

    package func loadRequirement(on picture: PictureShape) -> LoadRequirement {
        quarterTurns == nil || keepsCanvas ? .fullSize : .anyScale
    }
}
