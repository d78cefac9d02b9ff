/// What a request says of a source's frames and pages (SDWebImage's `SDAnimatedImagePlayer` and `decodeFirstFrameOnly`).
package struct AnimationSettings: Hashable, Sendable {
    package var mode: AnimationMode
    /// The frame that is asked for alone, zero-based; `nil` where none is.
    package var frame: Int?
    /// The page of a source that has several, zero-based.
    package var page: Int
    /// By what the frames' times are divided.
    package var speed: FixedDecimal
    /// Rounds of the result, 0 for ever; `nil` keeps the source's.
    package var loop: Int?
    /// Whether the last frame comes first.
    package var isReversed: Bool

    /// Creates settings, the defaults where nothing is given.
    package init(
        mode: AnimationMode = .auto,
        frame: Int? = nil,
        page: Int = 0,
        speed: FixedDecimal = AnimationSettings.standardSpeed,
        loop: Int? = nil,
        isReversed: Bool = false
    ) {
        self.mode = mode
        self.frame = frame
        self.page = page
        self.speed = speed
        self.loop = loop
        self.isReversed = isReversed
    }

    /// The one frame of the source that the request wants; `nil` where it wants what can be kept.
    package var stillFrame: Int? { frame ?? (mode == .first ? 0 : nil) }

    /// Whether frames are shown in their order, in their time and as often as the source says.
    package var playsAsSource: Bool { speed == Self.standardSpeed && loop == nil && !isReversed }

    package static let standardSpeed = FixedDecimal(1)
    /// The range of `speed`.
    package static let speeds = FixedDecimal(millionths: 100_000)...FixedDecimal(10)
    /// The range of `loop`: what both GIF (NETSCAPE2.0) and WebP (RFC 9649 §2.7.1.1) hold.
    package static let loops = 0...65_535
    /// The range of `frame`: as many as the sniffer counts.
    package static let frames = 0...99_999
    /// The range of `page`.
    package static let pages = 0...9_999
}

/// The value of `anim`: how much of an animation the result keeps.
package enum AnimationMode: String, Hashable, Sendable, CaseIterable {
    /// As much as its cost allows.
    case auto
    /// Every frame, or none of it.
    case keep
    /// The first frame.
    case first
}

extension PlanSettings {
    /// Whether the result has one frame, whatever the source has.
    package var isStill: Bool {
        if animation.stillFrame != nil { return true }
        return switch format {
        case .jpeg, .png, .avif, .jxl, .tiff, .json, .blurhash, .lqip: true
        case .auto, .source, .webp, .gif: false
        }
    }

    /// One value for all that mean the same: without what says nothing beside the rest.
    var normalized: PlanSettings {
        var result = self
        // A frame goes before `anim=first`, and the first frame is what that asks.
        if let frame = animation.frame { result.animation.mode = frame == 0 ? .first : .auto }
        if animation.frame == 0 { result.animation.frame = nil }
        if isStill {
            let (mode, frame, page) = (result.animation.mode, result.animation.frame, animation.page)
            result.animation = AnimationSettings(mode: mode, frame: frame, page: page)
        }
        if format.isWords { result.isStrict = false }
        return result
    }

    /// Refuses settings that cannot be met together.
    ///
    /// - Throws: 400.
    func checkAnimation() throws(RequestError) {
        if animation.mode == .keep, animation.frame != nil {
            throw RequestError(parameter: PlanSetting.frame.name, reason: "asks for one frame, and anim=keep for all")
        }
    }
}

extension PlanSetting {
    /// `anim`: how much of an animation is kept; `frame=0` is another spelling of `anim=first`.
    package static let animation = PlanSetting(
        name: "anim",
        defaultText: "auto",
        read: { (parameter, settings) throws(RequestError) in
            settings.animation.mode = try parameter.keyword()
        },
        canonicalValue: { $0.animation.mode == .auto ? nil : $0.animation.mode.rawValue }
    )

    /// `frame`: one frame of an animation, zero-based.
    package static let frame = PlanSetting(
        name: "frame",
        defaultText: "all that anim keeps",
        read: { (parameter, settings) throws(RequestError) in
            settings.animation.frame = try parameter.integer(in: AnimationSettings.frames)
        },
        canonicalValue: { $0.animation.frame.map { String($0) } }
    )

    /// `page`: one page of a source that has several, zero-based.
    package static let page = PlanSetting(
        name: "page",
        defaultText: "0",
        read: { (parameter, settings) throws(RequestError) in
            settings.animation.page = try parameter.integer(in: AnimationSettings.pages)
        },
        canonicalValue: { $0.animation.page == 0 ? nil : String($0.animation.page) }
    )

    /// `loop`: the rounds of an animation, 0 for ever; says nothing where the result is a still.
    package static let loop = PlanSetting(
        name: "loop",
        defaultText: "the original's",
        read: { (parameter, settings) throws(RequestError) in
            settings.animation.loop = try parameter.integer(in: AnimationSettings.loops)
        },
        canonicalValue: { $0.animation.loop.map { String($0) } }
    )

    /// `speed`: how many times faster an animation is shown; says nothing where the result is a still.
    package static let speed = PlanSetting(
        name: "speed",
        defaultText: "1",
        read: { (parameter, settings) throws(RequestError) in
            settings.animation.speed = try parameter.decimal(in: AnimationSettings.speeds)
        },
        canonicalValue: { settings in
            let speed = settings.animation.speed
            return speed == AnimationSettings.standardSpeed ? nil : speed.text
        }
    )

    /// `reverse`: whether an animation is shown backwards; says nothing where the result is a still.
    package static let reverse = PlanSetting(
        name: "reverse",
        defaultText: "0",
        read: { (parameter, settings) throws(RequestError) in
            settings.animation.isReversed = try parameter.flag()
        },
        canonicalValue: { $0.animation.isReversed ? "1" : nil }
    )
}
