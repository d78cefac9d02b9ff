/// What an animation may take, and what may be given in its place; a part of the configuration.
package struct AnimationLimits: Hashable, Sendable {
    /// The most frames that are decoded (`limits.frames`).
    package var frames: Int
    /// The most work, in pixels over all frames as `AnimationCost` counts them (`limits.animation`).
    package var pixels: Int
    /// Whether the original may be given as it is (`originals`).
    package var givesOriginals: Bool

    /// Creates limits; the configuration's defaults where nothing is given.
    package init(
        frames: Int = AnimationLimits.standardFrames,
        pixels: Int = AnimationLimits.standardPixels,
        givesOriginals: Bool = true
    ) {
        self.frames = frames
        self.pixels = pixels
        self.givesOriginals = givesOriginals
    }

    package static let standardFrames = 256
    /// About half of what a worker does within the default `timeouts.transform`: Benchmarks/README.md.
    package static let standardPixels = 50_000_000

    /// One spelling a set of limits, for cache keys; empty for the defaults.
    package var keyText: String {
        var parts: [String] = []
        if frames != Self.standardFrames { parts.append("frames=\(frames)") }
        if pixels != Self.standardPixels { parts.append("animation=\(pixels)") }
        if !givesOriginals { parts.append("originals=refuse") }
        return parts.joined(separator: ",")
    }
}
