/// What became of an animation, as a header field tells it.
package enum AnimationOutcome: Hashable, Sendable {
    case kept(frames: Int)
    case reduced(frames: Int, of: Int)
    /// One frame, zero-based.
    case frame(Int, of: Int)
    /// The original's bytes, whole.
    case original(frames: Int)

    /// Tells it of a result; `nil` where the original is no animation, or turned out to be none.
    ///
    /// Nothing is stored for it: the choice is a function of what is stored anyway.
    /// - Parameters:
    ///   - plan: the plan's canonical text; `nil` for the original's own bytes.
    ///   - header: what the original says of itself.
    ///   - frames: those of the result.
    ///   - format: the result's.
    package init?(
        plan text: String?,
        header: ImageHeader,
        frames: Int,
        format: ImageFormat?,
        limits: AnimationLimits
    ) {
        guard header.frames > 1 else { return nil }
        let all = header.frames
        guard let text, text != MetadataCleaner.planText else {
            self = .original(frames: all)
            return
        }
        let plan = try? Plan(canonicalText: text)
        guard frames > 1, let format else {
            if let plan, let format, header.format == .png, Self.isKept(plan, header, format, limits) { return nil }
            self = .frame(plan?.settings.animation.stillFrame ?? 0, of: all)
            return
        }
        guard frames >= all else {
            self = .reduced(frames: frames, of: all)
            return
        }
        let choice = plan.flatMap { Self.choice(of: $0, header, format, limits) }
        self = choice == .original ? .original(frames: all) : .kept(frames: frames)
    }

    /// Whether more frames than one were to be kept: a PNG of which one came is a still behind an animation's header (§4.9).
    private static func isKept(
        _ plan: Plan,
        _ header: ImageHeader,
        _ format: ImageFormat,
        _ limits: AnimationLimits
    ) -> Bool {
        guard format == .webp || format == .gif, let choice = choice(of: plan, header, format, limits) else {
            return false
        }
        return switch choice {
        case .all, .some: true
        case .still, .original: false
        }
    }

    private static func choice(
        of plan: Plan,
        _ header: ImageHeader,
        _ format: ImageFormat,
        _ limits: AnimationLimits
    ) -> AnimationChoice? {
        let traits = EncoderTraits(hasAlpha: true, hasAnimation: true, isLosslessPossible: true, longestSide: .max)
        return try? AnimationChoice.make(of: plan, header: header, format: format, traits: traits, limits: limits)
    }

    /// The field's value.
    package var text: String {
        switch self {
        case .kept(let frames): "kept; frames=\(frames)"
        case .reduced(let frames, let all): "reduced; frames=\(frames)/\(all)"
        case .frame(0, let all): "first; frames=1/\(all)"
        case .frame(let frame, let all): "frame; frames=1/\(all); frame=\(frame)"
        case .original(let frames): "original; frames=\(frames)"
        }
    }
}
