/// What happened to an animation, as reported in a response header.
package enum AnimationOutcome: Hashable, Sendable {
    case kept(frames: Int)
    case reduced(frames: Int, of: Int)
    /// One frame, zero-based.
    case frame(Int, of: Int)
    /// The unchanged original.
    case original(frames: Int)

    /// Derives the outcome of a result; `nil` if the original is not an animation.
    ///
    /// Computed from stored facts, so it is not stored itself.
    /// - Parameters:
    ///   - plan: the plan's canonical text; `nil` for the original's own bytes.
    ///   - header: the original's header.
    ///   - frames: the number of frames of the result.
    ///   - format: the format of the result.
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

    /// Whether the plan keeps several frames; a PNG that decoded to one frame is then a still with an animation header (§4.9).
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

    /// The header field's value.
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
