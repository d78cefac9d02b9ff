#if canImport(Musl)
import Musl
#else
import Glibc
#endif

/// `rotate`: turns the picture clockwise; quarter turns swap the sides exactly, others grow the canvas.
package struct RotateStep: SingleParameterStep {
    package static let name = "rotate"

    /// Clockwise, more than 0 and less than 360.
    package let degrees: FixedDecimal

    /// Creates a rotation; the angle is taken modulo 360.
    package init(degrees: FixedDecimal) {
        self.degrees = degrees.withinOneTurn
    }

    package init?(parsing parameter: Parameter, in context: StepContext) throws(RequestError) {
        self.init(degrees: try parameter.angle())
        if self.degrees.millionths == 0 { return nil }
    }

    package var value: String { degrees.text }

    /// 1, 2 or 3 quarter turns clockwise; `nil` for any other angle.
    package var quarterTurns: Int? {
        degrees.millionths.isMultiple(of: 90_000_000) ? degrees.millionths / 90_000_000 : nil
    }

    /// The canvas that holds the turned picture: the bounding box's sides, each max(1, rounded half up).
    ///
    /// This is how libvips sizes `vips_rotate` and `vips_similarity`.
    package func canvas(for size: PixelSize) -> PixelSize {
        if let quarterTurns { return quarterTurns.isMultiple(of: 2) ? size : size.transposed }
        let radians = degrees.value * .pi / 180
        let sine = abs(sin(radians))
        let cosine = abs(cos(radians))
        let width = Double(size.width)
        let height = Double(size.height)
        return PixelSize(
            width: max(1, Int((width * cosine + height * sine).rounded(.toNearestOrAwayFromZero))),
            height: max(1, Int((width * sine + height * cosine).rounded(.toNearestOrAwayFromZero)))
        )
    }

    package func shape(after picture: PictureShape) throws(RequestError) -> PictureShape {
        var shape = PictureShape(size: canvas(for: picture.size))
        guard let quarterTurns else { return shape }
        shape.corners = (0..<quarterTurns).reduce(picture.corners) { corners, _ in corners.turnedClockwise }
        return shape
    }

    package var makesAlpha: Bool { quarterTurns == nil }

    package func cost(on picture: PictureShape) -> Int {
        quarterTurns != nil ? picture.size.pixels : canvas(for: picture.size).pixels.multipliedSaturated(by: 8)
    }

    package func loadRequirement(on picture: PictureShape) -> LoadRequirement {
        quarterTurns == nil ? .fullSize : .anyScale
    }
}
