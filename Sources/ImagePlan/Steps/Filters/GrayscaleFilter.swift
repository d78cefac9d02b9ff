/// `grayscale`: each colour's luma (`grayscale()` of CSS Filter Effects 1: 0.2126 R + 0.7152 G + 0.0722 B).
package struct GrayscaleFilter: PlainFilter {
    package static let name = "grayscale"

    /// Creates the filter.
    package init() {}

    package var commutesWithScaling: Bool { true }
}
