/// A face in a picture, in fractions of the picture's sides.
struct Face: Sendable, Hashable {
    /// A rectangle in fractions of the picture's sides, within it.
    struct Box: Sendable, Hashable {
        var left: Double
        var top: Double
        var right: Double
        var bottom: Double

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

    /// The box with the hair.
    var head: Box { box.grown(sides: 0.05, top: 0.2, bottom: 0.1) }
    /// The box with the hair and the shoulders.
    var bust: Box { box.grown(sides: 0.5, top: 0.4, bottom: 1) }
}
