/// What happened to an animation, as reported in a response header.
package enum AnimationOutcome: Hashable, Sendable {
    /// All frames that the request selects; `range` is `nil` if it selects all.
    case kept(frames: Int, range: Range<Int>? = nil)
    case reduced(frames: Int, of: Int, range: Range<Int>? = nil)
    /// One frame, zero-based.
    case frame(Int, of: Int)
    /// The unchanged original.
    case original(frames: Int)
    /// Some frames of a JPEG XL, whose header does not contain their number.
    case uncounted(frames: Int)

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
        guard header.format != .jxl else {
            self = .uncounted(frames: frames)
            return
        }
        let all = header.frames
        guard let text, text != MetadataCleaner.planText else {
            self = .original(frames: all)
            return
        }
        let plan = try? Plan(canonicalText: text)
        let selected = plan?.settings.animation.selection(of: all) ?? 0..<all
        let range = selected.count < all ? selected : nil
        guard frames > 1, let format else {
            if let plan, let format, header.format == .png, Self.isKept(plan, header, format, limits) { return nil }
            self = .frame(plan?.settings.animation.stillFrame ?? selected.lowerBound, of: all)
            return
        }
        guard frames >= selected.count else {
            self = .reduced(frames: frames, of: selected.count, range: range)
            return
        }
        let choice = plan.flatMap { Self.choice(of: $0, header, format, limits) }
        self = choice == .original ? .original(frames: all) : .kept(frames: frames, range: range)
    }

    /// Whether the plan keeps several frames; a PNG that decoded to one frame is then a still with an animation header (§4.9).
    private static func isKept(
        _ plan: Plan,
        _ header: ImageHeader,
        _ format: ImageFormat,
        _ limits: AnimationLimits
    ) -> Bool {
        guard [.webp, .gif, .png, .avif].contains(format), let choice = choice(of: plan, header, format, limits) else {
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
        case .kept(let frames, let range): "kept; frames=\(frames)" + Self.text(range)
        case .reduced(let frames, let all, let range): "reduced; frames=\(frames)/\(all)" + Self.text(range)
        case .frame(0, let all): "first; frames=1/\(all)"
        case .frame(let frame, let all): "frame; frames=1/\(all); frame=\(frame)"
        case .original(let frames): "original; frames=\(frames)"
        case .uncounted(let frames): "uncounted; frames=\(frames)"
        }
    }

    private static func text(_ range: Range<Int>?) -> String {
        range.map { "; range=\($0.lowerBound)-\($0.upperBound - 1)" } ?? ""
    }
}
