/// A rectangle of whole pixels; the origin is the picture's top left corner.
package struct PixelRectangle: Hashable, Sendable {
    package var left: Int
    package var top: Int
    package var width: Int
    package var height: Int

    /// Creates a rectangle.
    package init(left: Int, top: Int, width: Int, height: Int) {
        self.left = left
        self.top = top
        self.width = width
        self.height = height
    }

    package var right: Int { left + width }
    package var bottom: Int { top + height }
    package var size: PixelSize { PixelSize(width: width, height: height) }

    /// The part inside of a picture of some size; `nil` where there is none.
    package func intersected(with picture: PixelSize) -> PixelRectangle? {
        let left = max(0, left)
        let top = max(0, top)
        let width = min(right, picture.width) - left
        let height = min(bottom, picture.height) - top
        guard width > 0, height > 0 else { return nil }
        return PixelRectangle(left: left, top: top, width: width, height: height)
    }
}
