/// The estimated cost of an animation, from its header and the plan.
///
/// The unit is encoding one pixel as WebP; other work is a measured share of it (Benchmarks/README.md).
package struct AnimationCost: Hashable, Sendable {
    /// Sixteenths of a unit per source frame; all are decoded, since each is drawn over those before it.
    private let decoding: Int
    /// Sixteenths of a unit per kept frame.
    private let keeping: Int
    /// Pixels of one frame in memory, for steps that need random access.
    private let heldPixels: Int

    private static let unit = 16
    private static let stepPixel = 1
    /// Pixels that may be held in memory per unit of the budget.
    private static let heldFactor = 4

    /// Estimates the cost of a plan on an animation.
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

    /// Decoding and blending lossy frames takes three times as long as decoding GIF.
    private static func decodedPixel(of format: ImageFormat) -> Int { format == .gif ? unit / 8 : 3 * unit / 8 }

    /// Quantising and dithering take three times as long as lossy WebP; effort and `max_bytes` multiply either.
    private static func encodedPixel(of format: ImageFormat, _ settings: EncodingSettings) -> Int {
        let (once, multiples): (Int, [Int]) =
            switch format {
            case .gif: (3, gifEfforts)
            case .avif: (1, avifEfforts)
            case .png: (2, pngEfforts)
            default: (1, webpEfforts)
            }
        let effort = settings.effort.map { multiples[min($0, multiples.count - 1)] } ?? 1
        let isSearched = settings.maximumBytes != nil && format != .gif && format != .png
        return once * unit * effort * (isSearched ? maximumEncodes : 1)
    }

    /// The cost of each effort as a multiple of the default's.
    private static let webpEfforts = [1, 1, 1, 2, 2, 4, 5]
    private static let gifEfforts = [1, 1, 1, 1, 2, 2, 2, 3]
    // From 3 on aom looks ahead; the factors from 6 on are estimates.
    private static let avifEfforts = [1, 1, 1, 5, 9, 9, 20, 40]
    private static let pngEfforts = [1, 1, 1, 1, 2, 2, 3, 4, 8, 12]
    /// The maximum number of encodes that a search for `max_bytes` takes.
    private static let maximumEncodes = 7

    /// The bytes in memory of one frame.
    package var frameBytes: Int { heldPixels.multipliedSaturated(by: DecodeBudget.bytesPerPixel) }

    /// The cost, in units, of keeping `kept` of `frames` frames.
    package func pixels(keeping kept: Int, of frames: Int) -> Int {
        decoding.multipliedSaturated(by: frames).addingSaturated(keeping.multipliedSaturated(by: kept)) / Self.unit
    }

    /// The number of `selected` frames that fit the limits if `decoded` are decoded; 0 if decoding alone exceeds them.
    package func affordable(of selected: Int, decoding decoded: Int, within limits: AnimationLimits) -> Int {
        let held = min(
            limits.pixels.multipliedSaturated(by: Self.heldFactor) / heldPixels,
            limits.bytes / frameBytes
        )
        let room = limits.pixels.multipliedSaturated(by: Self.unit) - decoding.multipliedSaturated(by: decoded)
        return max(0, min(selected, held, room / max(1, keeping)))
    }
}

/// Limits on decoding, mainly of animations, from the configuration.
package struct AnimationLimits: Hashable, Sendable {
    /// The maximum number of frames to decode (`limits.frames`).
    package var frames: Int
    /// The highest cost, in the units of `AnimationCost` (`limits.animation`).
    package var pixels: Int
    /// Whether the unchanged original may be served instead (`originals`).
    package var givesOriginals: Bool
    /// Maximum bytes of decoded pixels in all frames together (`limits.decode-bytes`).
    package var bytes: Int

    /// Creates limits, with the configuration's defaults for everything not given.
    package init(
        frames: Int = AnimationLimits.standardFrames,
        pixels: Int = AnimationLimits.standardPixels,
        givesOriginals: Bool = true,
        bytes: Int = DecodeBudget.standardBytes
    ) {
        self.frames = frames
        self.pixels = pixels
        self.givesOriginals = givesOriginals
        self.bytes = bytes
    }

    package static let standardFrames = 256
    /// About half of what a worker processes within the default `timeouts.transform` (Benchmarks/README.md).
    package static let standardPixels = 50_000_000

    /// The canonical text for cache keys; empty for the defaults.
    package var keyText: String {
        var parts: [String] = []
        if frames != Self.standardFrames { parts.append("frames=\(frames)") }
        if pixels != Self.standardPixels { parts.append("animation=\(pixels)") }
        if bytes != DecodeBudget.standardBytes { parts.append("bytes=\(bytes)") }
        if !givesOriginals { parts.append("originals=refuse") }
        return parts.joined(separator: ",")
    }
}
