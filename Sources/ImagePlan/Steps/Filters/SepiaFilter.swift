/// `sepia`: the browns of old prints (`sepia()` of CSS Filter Effects 1).
package struct SepiaFilter: PlainFilter {
    package static let name = "sepia"

    /// Creates the filter.
    package init() {}
}
