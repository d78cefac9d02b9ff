/// The frames of a source to keep: decided from header, plan and configuration before decoding.
///
/// Independent of the current load, so that the same request always gets the same answer.
package enum AnimationChoice: Hashable, Sendable {
    /// One frame, zero-based; 0 for a still.
    case still(frame: Int)
    /// All frames that the request selects.
    case all
    /// This many of the selected frames, evenly spread.
    case some(Int)
    /// The original, unchanged.
    case original

    /// At least one of this many frames must be kept; otherwise the result is the first frame.
    package static let largestStride = 4

    /// The largest total height of all frames, which libvips stacks vertically (VIPS_MAX_COORD).
    private static let maximumRows = 10_000_000

    /// Chooses the frames to keep.
    ///
    /// - Parameters:
    ///   - header: the source's header.
    ///   - format: the format of the result.
    ///   - traits: the capabilities of its encoder.
    /// - Throws: 422, naming `frame`, `frames`, `anim` or `strict`, if the request cannot be met within the limits; also
    ///   everything `PlanGeometry.resolve` throws.
    package static func make(
        of plan: Plan,
        header: ImageHeader,
        format: ImageFormat,
        traits: EncoderTraits,
        limits: AnimationLimits
    ) throws(RequestError) -> AnimationChoice {
        let settings = plan.settings
        let frames = max(1, header.frames)
        if let frame = settings.animation.stillFrame {
            guard frame < frames else { throw refusal(.frame, "is \(frame), but the last frame is \(frames - 1)") }
            guard frame == 0 || header.format.decodesAnimation else {
                throw refusal(.frame, "is \(frame), but only the first frame of \(header.format) is decoded")
            }
            if frame > 0 { try checkDecoding(of: frame + 1, plan, header, limits) }
            return .still(frame: frame)
        }
        let selected = settings.animation.selection(of: frames)
        guard !selected.isEmpty else { throw refusal(.frames, "starts after the last frame, \(frames - 1)") }
        guard selected.count > 1, !settings.format.isMetadata else {
            return try first(of: selected, plan, header, limits)
        }
        guard traits.hasAnimation, header.format.decodesAnimation else {
            let reason =
                header.format.decodesAnimation
                ? "\(format) has one frame, but the image has \(frames)"
                : "only the first frame of \(header.format) is decoded, but the image has \(frames)"
            if settings.animation.mode == .keep { throw refusal(.animation, "requests all frames; \(reason)") }
            if settings.isStrict { throw refusal(.strict, reason) }
            return try first(of: selected, plan, header, limits)
        }
        let cost = try AnimationCost(of: plan, header: header, format: format)
        // Each frame is drawn over those before it.
        let decoded = selected.upperBound
        let rows = header.height.multipliedSaturated(by: selected.count)
        let isDecodable = decoded <= limits.frames && rows <= maximumRows
        let affordable = isDecodable ? cost.affordable(of: selected.count, decoding: decoded, within: limits) : 0
        if affordable == selected.count { return .all }
        if limits.givesOriginals, plan.leavesAsItIs(header, as: format) { return .original }
        if let setting = settings.animation.mode == .keep ? PlanSetting.animation : settings.isStrict ? .strict : nil {
            let isTall = decoded <= limits.frames && rows > maximumRows
            let reason =
                "\(selected.count) frames have \(rows) rows in total, more than the limit of \(maximumRows)"
            throw refusal(setting, isTall ? reason : overLimit(decoded, cost, limits, keeping: selected.count))
        }
        let isEnough = affordable >= max(2, (selected.count + largestStride - 1) / largestStride)
        return isEnough ? .some(affordable) : try first(of: selected, plan, header, limits)
    }

    /// The first selected frame, as a still.
    private static func first(
        of selected: Range<Int>,
        _ plan: Plan,
        _ header: ImageHeader,
        _ limits: AnimationLimits
    ) throws(RequestError) -> AnimationChoice {
        let frame = selected.lowerBound
        if frame > 0 {
            guard header.format.decodesAnimation else {
                throw refusal(.frames, "starts at \(frame), but only the first frame of \(header.format) is decoded")
            }
            try checkDecoding(of: frame + 1, plan, header, limits, for: .frames)
        }
        return .still(frame: frame)
    }

    /// The indices of `kept` frames, evenly spread over all and including the first.
    package static func frames(keeping kept: Int, of frames: Int) -> [Int] {
        (0..<kept).map { $0.multipliedSaturated(by: frames) / kept }
    }

    /// Checks the cost of decoding the frames up to a selected one, since each is drawn over those before it.
    private static func checkDecoding(
        of frames: Int,
        _ plan: Plan,
        _ header: ImageHeader,
        _ limits: AnimationLimits,
        for setting: PlanSetting = .frame
    ) throws(RequestError) {
        let cost = try AnimationCost(of: plan, header: header, format: .png)
        guard frames > limits.frames || cost.pixels(keeping: 0, of: frames) > limits.pixels else { return }
        throw refusal(setting, "requires decoding \(frames) frames: " + overLimit(frames, cost, limits, keeping: 0))
    }

    private static func overLimit(
        _ frames: Int,
        _ cost: AnimationCost,
        _ limits: AnimationLimits,
        keeping kept: Int? = nil
    ) -> String {
        if frames > limits.frames { return "\(frames) frames exceed the limit of \(limits.frames) (limits.frames)" }
        let bytes = cost.frameBytes.multipliedSaturated(by: kept ?? frames)
        if bytes > limits.bytes {
            return "\(frames) frames need \(bytes) bytes, more than the limit of \(limits.bytes) (limits.decode-bytes)"
        }
        let pixels = cost.pixels(keeping: kept ?? frames, of: frames)
        return
            "\(frames) frames cost about \(pixels) pixels, more than the limit of \(limits.pixels) (limits.animation)"
    }

    private static func refusal(_ setting: PlanSetting, _ reason: String) -> RequestError {
        RequestError(parameter: setting.name, reason: reason, status: .unprocessable)
    }
}

extension Plan {
    /// Whether the original itself satisfies the plan: nothing changes its pixels, frames or encoding.
    fileprivate func leavesAsItIs(_ header: ImageHeader, as format: ImageFormat) -> Bool {
        isIdentity && format == header.format && header.orientation == 1 && settings.animation.playsAsSource
            && (settings.background == nil || header.hasAlpha == false) && settings.quality.number(for: format) == nil
            && settings.encoding == EncodingSettings() && settings.metadata != .copyright
            && MetadataCleaner.supports(header.format)
    }
}
