/// What a step before the first resize asks of a source that is loaded at a fraction of its size.
package enum LoadRequirement: Hashable, Sendable {
    /// Means the same at every scale, and its coordinates are the picture's edges: flips, quarter turns.
    case anyScale
    /// Cuts this rectangle: means the same where the rectangle's edges fall on whole pixels of the smaller picture too.
    case rectangle(PixelRectangle)
    /// Leaves nothing that a picture this many times smaller could not hold; its lengths are divided there.
    case smooth(largestFactor: Int)
    /// Depends on pixels of the full size.
    case fullSize
}
