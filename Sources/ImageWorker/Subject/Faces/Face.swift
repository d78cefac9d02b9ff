/// A face in a picture, in fractions of the picture's sides.
struct Face: Sendable, Hashable {
    /// A rectangle in fractions of the picture's sides, within it.
    struct Box: Sendable, Hashable {
        var left: Double
        var top: Double
        var right: Double
        var bottom: Double

        /// The share of the picture; 0 for a box outside of it.
        var area: Double { max(0, right - left) * max(0, bottom - top) }

        /// The rectangle grown by multiples of its own sides, as far as the picture reaches.
        func grown(sides: Double, top above: Double, bottom below: Double) -> Box {
            let (width, height) = (right - left, bottom - top)
            return Box(
                left: max(0, left - sides * width),
                top: max(0, top - above * height),
                right: min(1, right + sides * width),
                bottom: min(1, bottom + below * height)
            )
        }
    }

    /// From the brows to the chin, as cascades are trained.
    var box: Box
    /// How much the face counts, 0–1: its certainty times its share of the area of all faces.
    var weight: Double

    /// Creates the faces of a picture from their boxes and certainties, 0–1; boxes outside of it are left out.
    static func sharing(_ found: [(box: Box, certainty: Double)]) -> [Face] {
        let faces = found.filter { $0.box.area > 0 }
        let total = faces.reduce(0) { $0 + $1.box.area }
        return faces.map { Face(box: $0.box, weight: $0.certainty * $0.box.area / total) }
    }

    /// The box with the hair.
    var head: Box { box.grown(sides: 0.05, top: 0.2, bottom: 0.1) }
    /// The box with the hair and the shoulders.
    var bust: Box { box.grown(sides: 0.5, top: 0.4, bottom: 1) }
}
