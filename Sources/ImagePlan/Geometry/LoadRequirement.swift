/// What a step before the first resize requires of a source loaded at a reduced size.
package enum LoadRequirement: Hashable, Sendable {
    /// Nothing: the step commutes with scaling and uses no coordinates other than the edges (flips, quarter turns).
    case anyScale
    /// The edges of this crop rectangle must fall on whole pixels of the reduced image.
    case rectangle(PixelRectangle)
    /// The step removes detail, so reductions up to this factor lose nothing; its lengths are divided accordingly.
    case smooth(largestFactor: Int)
    /// Pixels of the full size.
    case fullSize
}
