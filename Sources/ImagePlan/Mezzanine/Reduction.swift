/// The original of which a job's source is a reduction: results are those of the original.
package struct Reduction: Hashable, Sendable {
    /// How many times smaller the source is, on each axis: 2 or 4.
    package var factor: Int
    /// What the original said of itself.
    package var original: ImageHeader

    /// Names an original.
    package init(factor: Int, original: ImageHeader) {
        self.factor = factor
        self.original = original
    }

    /// The reduction's own stored size.
    package var size: PixelSize {
        // As libvips loads a JPEG smaller: a rest at the right or bottom edge goes.
        PixelSize(width: max(1, original.width / factor), height: max(1, original.height / factor))
    }
}
