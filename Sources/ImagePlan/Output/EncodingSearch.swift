/// How a worker searches for an encoding, beyond the plan.
///
/// It contains no results of earlier requests, so equal requests give equal bytes.
package struct EncodingSearch: Hashable, Sendable {
    /// Whether `format=auto` tries every format that the client accepts and returns the smallest result.
    package var takesSmallest: Bool
    /// The effort of a second encoding of a still image, 1–9; `nil` for none.
    ///
    /// The result is the second encoding, with the quality at which it scores as the first, which has the plan's quality and effort.
    package var secondEffort: Int?

    /// The formats whose encoders have a quality to search for.
    package static let formats: [ImageFormat] = [.jpeg, .webp, .avif, .jxl]

    /// Creates a search; by default the plan alone decides.
    package init(takesSmallest: Bool = false, secondEffort: Int? = nil) {
        self.takesSmallest = takesSmallest
        self.secondEffort = secondEffort
    }
}
