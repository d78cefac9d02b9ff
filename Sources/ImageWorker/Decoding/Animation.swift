import CVips
import ImagePlan

/// What makes stacked frames an animation: each frame's time, and the number of rounds.
struct Animation {
    /// Milliseconds a frame.
    let delays: [Int]
    /// Rounds; 0 is for ever.
    let loop: Int

    /// Reads an opened source's metadata.
    init(of stack: Raster) {
        delays = stack.integers("delay")
        loop = stack.integer("loop") ?? 0
    }

    /// Milliseconds that a frame is shown: 100, as browsers do, where the source does not say, and no more than WebP can say.
    func delay(ofFrame index: Int) -> Int {
        index < delays.count ? min(max(0, delays[index]), Self.longestWebPDelay) : 100
    }

    /// RFC 9649 §2.7.1.1: 24 bits.
    private static let longestWebPDelay = 1 << 24 - 1

    /// Cuts a stack into its frames.
    static func frames(of stack: Raster, height: Int) throws(VipsError) -> [Raster] {
        var frames: [Raster] = []
        for top in stride(from: 0, to: stack.height - height + 1, by: height) {
            try frames.append(stack.cropped(left: 0, top: top, width: stack.width, height: height))
        }
        return frames
    }

    /// Stacks frames again, with the metadata that savers read.
    func stacked(_ frames: [Raster]) throws(VipsError) -> Raster {
        let stack = try Raster.stacked(frames)
        return try stack.withMetadata { metadata in
            metadata.set(VIPS_META_PAGE_HEIGHT, frames[0].height)
            metadata.set(VIPS_META_N_PAGES, frames.count)
            if !delays.isEmpty { metadata.set("delay", delays) }
            metadata.set("loop", loop)
        }
    }
}
