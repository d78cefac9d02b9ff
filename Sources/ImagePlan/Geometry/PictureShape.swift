/// What geometry knows of a picture between two steps: its size, and the corners that the nearest `round` gave it.
///
/// Corners follow the picture: a resize scales them, flips and quarter turns carry them along; a crop, a pad or a free rotation
/// that changes the outline makes the picture a plain rectangle again.
package struct PictureShape: Hashable, Sendable {
    package var size: PixelSize
    package var corners: CornerRadii

    /// Creates a shape, a plain rectangle where nothing else is said.
    package init(size: PixelSize, corners: CornerRadii = .square) {
        self.size = size
        self.corners = corners
    }
}
