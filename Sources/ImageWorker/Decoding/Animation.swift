import CVips
import ImagePlan

/// The timing of an animation: each frame's delay and the number of loops.
struct Animation: Equatable {
    /// The delays of the frames in milliseconds; empty if the source has none.
    let delays: [Int]
    /// The number of loops; 0 for endless.
    let loop: Int

    /// Creates an animation.
    init(delays: [Int], loop: Int) {
        self.delays = delays
        self.loop = loop
    }

    /// Reads the metadata of an opened source.
    init(of stack: Raster) {
        delays = stack.integers(Self.delayField)
        loop = stack.integer(Self.loopField) ?? 0
    }

    /// libvips' metadata fields of delays in milliseconds and of loops.
    static let delayField = "delay"
    static let loopField = "loop"

    /// The longest delay, in milliseconds, that browsers replace by `substitute`.
    private static let shortest = 10
    /// The delay, in milliseconds, that browsers use for such frames and for frames without a delay.
    private static let substitute = 100
    /// The shortest delay, in milliseconds, that `speed` produces: 50 frames per second, which GIF can store and browsers honour.
    private static let fastest = 20
    /// The longest delay of WebP in milliseconds (RFC 9649 §2.7.1.1: 24 bits).
    private static let longestWebPDelay = 1 << 24 - 1
    /// The longest delay of GIF in milliseconds (GIF89a §23: 16 bits of hundredths of a second).
    private static let longestGIFDelay = 655_350
    /// The maximum number of loops of WebP (RFC 9649 §2.7.1.1: 16 bits).
    private static let mostRounds = 65_535

    /// Returns the delay of a frame in milliseconds, as browsers default it, limited to WebP's range.
    func delay(ofFrame index: Int) -> Int {
        index < delays.count ? min(max(0, delays[index]), Self.longestWebPDelay) : Self.substitute
    }

    /// The loops, limited to the range of both formats.
    var rounds: Int { min(max(0, loop), Self.mostRounds) }

    /// The delays limited to GIF's range; delays that browsers honour do not fall into the range that they replace.
    var hundredths: [Int] {
        delays.map { delay in
            let isShown = delay > Self.shortest && delay < Self.fastest
            return isShown ? Self.fastest : min(max(0, delay), Self.longestGIFDelay)
        }
    }

    /// Returns the time in milliseconds for which browsers show a frame.
    private func shown(_ index: Int) -> Int {
        let delay = delay(ofFrame: index)
        return delay <= Self.shortest ? Self.substitute : delay
    }

    /// Returns the duration of one loop in browsers, in milliseconds.
    func duration(frames: Int) -> Int { (0..<frames).reduce(0) { $0.addingSaturated(shown($1)) } }

    /// Returns the timing of consecutive frames.
    func part(_ frames: Range<Int>) -> Animation {
        Animation(delays: delays.isEmpty ? [] : frames.map { delay(ofFrame: $0) }, loop: loop)
    }

    /// Returns the timing of a subset of frames, each shown for its own time and that of the dropped frames after it.
    ///
    /// - Parameters:
    ///   - kept: frame indices in ascending order, starting with 0.
    ///   - count: the number of all frames.
    func keeping(_ kept: [Int], of count: Int) -> Animation {
        guard kept.count < count else { return self }
        let ends = kept.dropFirst() + [count]
        return Animation(delays: zip(kept, ends).map { ($0..<$1).reduce(0) { $0 + shown($1) } }, loop: loop)
    }

    /// Returns the timing of `count` frames with a request's speed and loops, in the source's order.
    func played(_ settings: AnimationSettings, count: Int) -> Animation {
        var times = delays
        if settings.speed != AnimationSettings.standardSpeed {
            times = (0..<count).map { index in
                max(Self.fastest, Int((Double(shown(index)) / settings.speed.value).rounded()))
            }
        }
        return Animation(delays: times, loop: settings.loop ?? loop)
    }

    /// Returns the timing in reverse order.
    func reversed(count: Int) -> Animation {
        // Without delays all frames have the same time.
        let times = delays.isEmpty ? [] : (0..<count).map { delay(ofFrame: $0) }
        return Animation(delays: times.reversed(), loop: loop)
    }

    /// Cuts a stack into its frames.
    static func frames(of stack: Raster, height: Int) throws(VipsError) -> [Raster] {
        var frames: [Raster] = []
        for top in stride(from: 0, to: stack.height - height + 1, by: height) {
            try frames.append(stack.cropped(left: 0, top: top, width: stack.width, height: height))
        }
        return frames
    }

    /// Stacks frames, with the metadata that savers read.
    func stacked(_ frames: [Raster]) throws(VipsError) -> Raster {
        let stack = try Raster.stacked(frames)
        return try stack.withMetadata { metadata in
            metadata.set(VIPS_META_PAGE_HEIGHT, frames[0].height)
            metadata.set(VIPS_META_N_PAGES, frames.count)
            if !delays.isEmpty { metadata.set(Self.delayField, hundredths) }
            metadata.set(Self.loopField, rounds)
        }
    }
}

extension FinishedPicture {
    /// Returns the animation in reverse.
    ///
    /// All frames are computed in their own order first, as decoders deliver them.
    func reversed(_ deadline: Deadline) throws -> FinishedPicture {
        guard let animation else { return self }
        let computed = try inMemory(deadline)
        return FinishedPicture(
            frames: computed.frames.reversed(),
            animation: animation.reversed(count: frames.count),
            filter: filter
        )
    }
}
