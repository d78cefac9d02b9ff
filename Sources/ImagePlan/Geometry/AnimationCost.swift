/// What an animation will about cost, from its header and the plan alone.
///
/// The unit is a pixel that is encoded as WebP; what else is done to one is a share of it, as measured (Benchmarks/README.md).
package struct AnimationCost: Hashable, Sendable {
    /// Units of the sixteenth part for each frame of the source: all are decoded, since each is drawn over those before it.
    private let decoding: Int
    /// The same for each frame that is kept.
    private let keeping: Int
    /// Pixels of a frame as it is held for steps that read it in any order.
    private let heldPixels: Int

    private static let unit = 16
    private static let stepPixel = 1
    /// Frames together that may be held: so many pixels for one of the budget.
    private static let heldFactor = 4

    /// Estimates a plan on an animation.
    ///
    /// - Throws: 422, as `PlanGeometry.resolve`.
    package init(of plan: Plan, header: ImageHeader, format: ImageFormat) throws(RequestError) {
        var frame = header
        frame.frames = 1
        let cost = try CostEstimate(of: plan, header: frame, format: format, maximumPixels: .max)
        decoding = cost.decodedPixels.multipliedSaturated(by: Self.decodedPixel(of: header.format))
        keeping = cost.work.multipliedSaturated(by: Self.stepPixel)
            .addingSaturated(
                cost.encodedPixels.multipliedSaturated(by: Self.encodedPixel(of: format, plan.settings.encoding))
            )
        heldPixels = max(1, cost.decodedPixels)
    }

    /// Lossy video and blending take three times what a GIF's codes take.
    private static func decodedPixel(of format: ImageFormat) -> Int { format == .gif ? unit / 8 : 3 * unit / 8 }

    /// Looking for a palette and dithering take three times what a lossy WebP takes; effort and `max_bytes` a multiple of each.
    private static func encodedPixel(of format: ImageFormat, _ settings: EncodingSettings) -> Int {
        let isGIF = format == .gif
        let multiples = isGIF ? gifEfforts : webpEfforts
        let effort = settings.effort.map { multiples[min($0, multiples.count - 1)] } ?? 1
        let encodes = isGIF || settings.maximumBytes == nil ? 1 : mostEncodes
        return (isGIF ? 3 : 1) * unit * effort * encodes
    }

    /// What each effort takes, as a multiple of the default's.
    private static let webpEfforts = [1, 1, 1, 2, 2, 4, 5]
    private static let gifEfforts = [1, 1, 1, 1, 2, 2, 2, 3]
    /// Tries of a quality for `max_bytes`.
    private static let mostEncodes = 7

    /// Pixels that some frames of an animation of `frames` cost.
    package func pixels(keeping kept: Int, of frames: Int) -> Int {
        decoding.multipliedSaturated(by: frames).addingSaturated(keeping.multipliedSaturated(by: kept)) / Self.unit
    }

    /// How many frames of an animation fit into a budget; 0 where decoding them alone is over it.
    package func affordable(of frames: Int, within budget: Int) -> Int {
        let held = budget.multipliedSaturated(by: Self.heldFactor) / heldPixels
        let room = budget.multipliedSaturated(by: Self.unit) - decoding.multipliedSaturated(by: frames)
        return max(0, min(frames, held, room / max(1, keeping)))
    }
}

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
