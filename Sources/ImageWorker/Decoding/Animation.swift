import CVips
import ImagePlan

/// What makes stacked frames an animation: each frame's time, and the number of rounds.
struct Animation: Equatable {
    /// Milliseconds a frame; empty where the source does not say.
    let delays: [Int]
    /// Rounds; 0 is for ever.
    let loop: Int

    /// Creates an animation.
    init(delays: [Int], loop: Int) {
        self.delays = delays
        self.loop = loop
    }

    /// Reads an opened source's metadata.
    init(of stack: Raster) {
        delays = stack.integers(Self.delayField)
        loop = stack.integer(Self.loopField) ?? 0
    }

    /// libvips' names of both: milliseconds of each frame, and rounds.
    static let delayField = "delay"
    static let loopField = "loop"

    /// Browsers show frames of so few milliseconds for `substitute`: players of old could not be faster.
    private static let shortest = 10
    /// What browsers show such frames for, and all whose time is not said.
    private static let substitute = 100
    /// Milliseconds below which no speed goes: 50 frames a second, which GIF can say and every browser shows.
    private static let fastest = 20
    /// RFC 9649 §2.7.1.1: 24 bits.
    private static let longestWebPDelay = 1 << 24 - 1
    /// GIF89a §23: 16 bits of hundredths of a second.
    private static let longestGIFDelay = 655_350
    /// RFC 9649 §2.7.1.1: 16 bits.
    private static let mostRounds = 65_535

    /// Milliseconds that a frame is shown: what browsers do where the source does not say, and no more than WebP can say.
    func delay(ofFrame index: Int) -> Int {
        index < delays.count ? min(max(0, delays[index]), Self.longestWebPDelay) : Self.substitute
    }

    /// Rounds as both formats can say them.
    var rounds: Int { min(max(0, loop), Self.mostRounds) }

    /// The delays as GIF can say them: none that is shown becomes one that browsers take for none.
    var hundredths: [Int] {
        delays.map { delay in
            let isShown = delay > Self.shortest && delay < Self.fastest
            return isShown ? Self.fastest : min(max(0, delay), Self.longestGIFDelay)
        }
    }

    /// Milliseconds that browsers show a frame for.
    private func shown(_ index: Int) -> Int {
        let delay = delay(ofFrame: index)
        return delay <= Self.shortest ? Self.substitute : delay
    }

    /// Milliseconds of one round, as browsers show it.
    func duration(frames: Int) -> Int { (0..<frames).reduce(0) { $0.addingSaturated(shown($1)) } }

    /// The animation of some of its frames, each shown for its own time and that of the dropped ones behind it.
    ///
    /// - Parameters:
    ///   - kept: the first frame, and others in ascending order.
    ///   - count: frames of the whole.
    func keeping(_ kept: [Int], of count: Int) -> Animation {
        guard kept.count < count else { return self }
        let ends = kept.dropFirst() + [count]
        return Animation(delays: zip(kept, ends).map { ($0..<$1).reduce(0) { $0 + shown($1) } }, loop: loop)
    }

    /// The animation of `count` frames as a request wants it played, in the source's order.
    func played(_ settings: AnimationSettings, count: Int) -> Animation {
        var times = delays
        if settings.speed != AnimationSettings.standardSpeed {
            times = (0..<count).map { index in
                max(Self.fastest, Int((Double(shown(index)) / settings.speed.value).rounded()))
            }
        }
        return Animation(delays: times, loop: settings.loop ?? loop)
    }

    /// The last frame's time first.
    func reversed(count: Int) -> Animation {
        // What has no times of its own has the same for all.
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

    /// Stacks frames again, with the metadata that savers read.
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
    /// The frames from the last to the first.
    ///
    /// Computes them all in their own order before, since a decoder gives them in no other.
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
