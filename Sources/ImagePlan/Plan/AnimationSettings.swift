/// The frame, page and playback settings of a request (SDWebImage's `SDAnimatedImagePlayer` and `decodeFirstFrameOnly`).
package struct AnimationSettings: Hashable, Sendable {
    package var mode: AnimationMode
    /// The only frame to keep, zero-based; `nil` keeps those that `mode` selects.
    package var frame: Int?
    /// The range of frames to keep, zero-based; `nil` for the frames that `mode` selects.
    ///
    /// The part beyond the last frame is ignored.
    package var range: ClosedRange<Int>?
    /// The page of a multi-page source, zero-based.
    package var page: Int
    /// The playback speed: frame durations are divided by it.
    package var speed: FixedDecimal
    /// How often the result plays, 0 for ever; `nil` keeps the source's loop count.
    package var loop: Int?
    /// Whether the result plays backwards.
    package var isReversed: Bool

    /// Creates settings, with the defaults for everything not given.
    package init(
        mode: AnimationMode = .auto,
        frame: Int? = nil,
        range: ClosedRange<Int>? = nil,
        page: Int = 0,
        speed: FixedDecimal = AnimationSettings.standardSpeed,
        loop: Int? = nil,
        isReversed: Bool = false
    ) {
        self.mode = mode
        self.frame = frame
        self.range = range
        self.page = page
        self.speed = speed
        self.loop = loop
        self.isReversed = isReversed
    }

    /// The single frame that the request selects, zero-based; `nil` if it selects none.
    package var stillFrame: Int? { frame ?? (mode == .first ? 0 : nil) }

    /// Whether frames, order, timing and loop count are the source's.
    package var playsAsSource: Bool { range == nil && speed == Self.standardSpeed && loop == nil && !isReversed }

    /// The frames that the request selects of a source with `count` frames; empty if none of them exists.
    package func selection(of count: Int) -> Range<Int> {
        guard let range else { return 0..<count }
        return Range(range).clamped(to: 0..<count)
    }

    package static let standardSpeed = FixedDecimal(1)
    /// The range of `speed`.
    package static let speeds = FixedDecimal(millionths: 100_000)...FixedDecimal(10)
    /// The range of `loop`: what both GIF (NETSCAPE2.0) and WebP (RFC 9649 §2.7.1.1) can store.
    package static let loops = 0...65_535
    /// The range of `frame`: the sniffer stops counting at its end.
    package static let frames = 0...99_999
    /// The range of `page`.
    package static let pages = 0...9_999
}

extension AnimationSettings {
    /// Replaces a range by its first frame if only that can be kept.
    fileprivate mutating func narrowRange(isStill: Bool) {
        guard let kept = range, kept.count == 1 || isStill else { return }
        range = nil
        // A still format with `anim=keep` is refused later.
        guard stillFrame == nil, kept.count == 1 || mode != .keep else { return }
        frame = kept.lowerBound
    }
}

/// The value of `anim`: how much of an animation to keep.
package enum AnimationMode: String, Hashable, Sendable, CaseIterable {
    /// As many frames as the cost limits allow.
    case auto
    /// All frames, or an error.
    case keep
    /// The first frame only.
    case first
}

extension PlanSettings {
    /// Whether the result is a still, whatever the source.
    package var isStill: Bool {
        if animation.stillFrame != nil { return true }
        return switch format {
        case .jpeg, .jxl, .tiff, .json, .blurhash, .thumbhash, .lqip: true
        case .auto, .source, .webp, .gif, .png, .avif: false
        }
    }

    /// The settings with redundant parts reset, so that equivalent requests compare equal.
    var normalized: PlanSettings {
        var result = self
        result.animation.narrowRange(isStill: isStill)
        result.quality = quality.limited(to: format.lossyFormats)
        if !mayBeJPEG { result.dynamicRange = .sdr }
        // `frame` overrides `anim=first`, and `frame=0` means the same.
        if let frame = result.animation.frame {
            result.animation.mode = frame == 0 ? .first : .auto
            if frame == 0 { result.animation.frame = nil }
        }
        if result.isStill {
            let (mode, frame, page) = (result.animation.mode, result.animation.frame, animation.page)
            result.animation = AnimationSettings(mode: mode, frame: frame, page: page)
        }
        if format.isMetadata { result.isStrict = false }
        return result
    }

    /// Checks that `anim`, `frame` and `frames` do not contradict each other.
    ///
    /// - Throws: 400, naming `frame` or `frames`.
    func checkAnimation() throws(RequestError) {
        if let range = animation.range, let frame = animation.stillFrame {
            let other = animation.frame == nil ? "anim=first" : "frame=\(frame)"
            throw RequestError(
                parameter: PlanSetting.frames.name,
                reason: "selects frames \(range.lowerBound) to \(range.upperBound), but \(other) asks for one"
            )
        }
        if animation.mode == .keep, animation.frame != nil {
            throw RequestError(
                parameter: PlanSetting.frame.name,
                reason: "selects one frame, but anim=keep requests all of them"
            )
        }
    }
}

extension PlanSetting {
    /// `anim`: how much of an animation to keep; `frame=0` is another spelling of `anim=first`.
    package static let animation = PlanSetting(
        name: "anim",
        defaultText: "auto",
        form: .choice(AnimationMode.allCases.map(\.rawValue)),
        example: "first",
        read: { (parameter, settings) throws(RequestError) in
            settings.animation.mode = try parameter.keyword()
        },
        canonicalValue: { $0.animation.mode == .auto ? nil : $0.animation.mode.rawValue }
    )

    /// `frame`: the single frame to keep, zero-based.
    package static let frame = PlanSetting(
        name: "frame",
        defaultText: "all that anim keeps",
        form: .integer(AnimationSettings.frames),
        example: "1",
        read: { (parameter, settings) throws(RequestError) in
            settings.animation.frame = try parameter.integer(in: AnimationSettings.frames)
        },
        canonicalValue: { $0.animation.frame.map { String($0) } }
    )

    /// `frames`: the first and the last frame to keep, zero-based.
    package static let frames = PlanSetting(
        name: "frames",
        defaultText: "all that anim keeps",
        form: .list(
            [
                ValueForm.Item("first", .integer(AnimationSettings.frames)),
                ValueForm.Item("last", .integer(AnimationSettings.frames)),
            ],
            required: 2,
            separator: "-"
        ),
        example: "0-9",
        read: { (parameter, settings) throws(RequestError) in
            let ends = parameter.parts(separatedBy: "-")
            guard ends.count == 2, let first = try? ends[0].integer(in: AnimationSettings.frames),
                let last = try? ends[1].integer(in: AnimationSettings.frames), first <= last
            else {
                let most = AnimationSettings.frames.upperBound
                throw parameter.error("must be two frames from 0 to \(most), the first and the last, such as 10-19")
            }
            settings.animation.range = first...last
        },
        canonicalValue: { $0.animation.range.map { "\($0.lowerBound)-\($0.upperBound)" } }
    )

    /// `page`: the page of a multi-page source, zero-based.
    package static let page = PlanSetting(
        name: "page",
        defaultText: "0",
        form: .integer(AnimationSettings.pages),
        example: "1",
        read: { (parameter, settings) throws(RequestError) in
            settings.animation.page = try parameter.integer(in: AnimationSettings.pages)
        },
        canonicalValue: { $0.animation.page == 0 ? nil : String($0.animation.page) }
    )

    /// `loop`: how often an animation plays, 0 for ever; ignored for stills.
    package static let loop = PlanSetting(
        name: "loop",
        defaultText: "the original's",
        form: .integer(AnimationSettings.loops),
        example: "1",
        read: { (parameter, settings) throws(RequestError) in
            settings.animation.loop = try parameter.integer(in: AnimationSettings.loops)
        },
        canonicalValue: { $0.animation.loop.map { String($0) } }
    )

    /// `speed`: the playback speed of an animation; ignored for stills.
    package static let speed = PlanSetting(
        name: "speed",
        defaultText: "1",
        form: .decimal(AnimationSettings.speeds),
        example: "2",
        read: { (parameter, settings) throws(RequestError) in
            settings.animation.speed = try parameter.decimal(in: AnimationSettings.speeds)
        },
        canonicalValue: { settings in
            let speed = settings.animation.speed
            return speed == AnimationSettings.standardSpeed ? nil : speed.text
        }
    )

    /// `reverse`: whether an animation plays backwards; ignored for stills.
    package static let reverse = PlanSetting(
        name: "reverse",
        defaultText: "0",
        form: .flag,
        example: "1",
        read: { (parameter, settings) throws(RequestError) in
            settings.animation.isReversed = try parameter.flag()
        },
        canonicalValue: { $0.animation.isReversed ? "1" : nil }
    )
}
