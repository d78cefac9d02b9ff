/// `invert`: 255 less each colour value (`invert()` of CSS Filter Effects 1).
package struct InvertFilter: PlainFilter {
    package static let name = "invert"

    /// Creates the filter.
    package init() {}

    package var costPerPixel: Int { 1 }
    package var commutesWithScaling: Bool { true }
}
