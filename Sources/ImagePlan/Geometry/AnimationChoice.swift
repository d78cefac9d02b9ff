/// What of a source's frames a result gets: decided from header, plan and configuration before anything is decoded.
///
/// Never by how busy the machine is: the same request has the same answer always.
package enum AnimationChoice: Hashable, Sendable {
    /// One frame, zero-based: of a still its only one.
    case still(frame: Int)
    /// All frames.
    case all
    /// So many of the frames, evenly spread.
    case some(Int)
    /// The original's own bytes.
    case original

    /// Of so many frames one at least must be kept; fewer are no motion, and the first frame is given.
    package static let sparsest = 4

    /// Rows of all frames together, as a decoder stacks them: the most that libvips has (VIPS_MAX_COORD).
    private static let mostRows = 10_000_000

    /// Decides.
    ///
    /// - Parameters:
    ///   - header: what the source says of itself.
    ///   - format: the result's format, chosen for all of the frames.
    ///   - traits: what its encoder can.
    /// - Throws: 422 naming `frame`, `anim` or `strict` where the request wants more than there is or than may be, and as
    ///   `PlanGeometry.resolve`.
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
            guard frame < frames else { throw refusal(.frame, "is \(frame), and the last frame is \(frames - 1)") }
            guard frame == 0 || header.format.decodesAnimation else {
                throw refusal(.frame, "is \(frame), and of \(header.format) only the first frame is decoded")
            }
            if frame > 0 { try checkDecoding(of: frame + 1, plan, header, limits) }
            return .still(frame: frame)
        }
        guard frames > 1, !settings.format.isWords else { return .still(frame: 0) }
        guard traits.hasAnimation, header.format.decodesAnimation else {
            let reason =
                header.format.decodesAnimation
                ? "\(format) has one frame, and the picture \(frames)"
                : "of \(header.format) only the first frame is decoded, and the picture has \(frames)"
            if settings.animation.mode == .keep { throw refusal(.animation, "asks for every frame; \(reason)") }
            if settings.isStrict { throw refusal(.strict, reason) }
            return .still(frame: 0)
        }
        let cost = try AnimationCost(of: plan, header: header, format: format)
        let isDecodable = frames <= limits.frames && rows(of: header) <= mostRows
        let affordable = isDecodable ? cost.affordable(of: frames, within: limits.pixels) : 0
        if affordable == frames { return .all }
        if limits.givesOriginals, plan.leavesAsItIs(header, as: format) { return .original }
        if let setting = settings.animation.mode == .keep ? PlanSetting.animation : settings.isStrict ? .strict : nil {
            let isTall = frames <= limits.frames && rows(of: header) > mostRows
            let reason = "\(frames) frames have \(rows(of: header)) rows in all, over the limit of \(mostRows)"
            throw refusal(setting, isTall ? reason : overLimit(frames, cost, limits))
        }
        return affordable >= max(2, (frames + sparsest - 1) / sparsest) ? .some(affordable) : .still(frame: 0)
    }

    /// The frames that are kept where so many of all are: evenly spread, and the first among them.
    package static func frames(keeping kept: Int, of frames: Int) -> [Int] {
        (0..<kept).map { $0.multipliedSaturated(by: frames) / kept }
    }

    private static func rows(of header: ImageHeader) -> Int { header.height.multipliedSaturated(by: header.frames) }

    /// A frame is drawn over those before it, so that these are decoded as well.
    private static func checkDecoding(
        of frames: Int,
        _ plan: Plan,
        _ header: ImageHeader,
        _ limits: AnimationLimits
    ) throws(RequestError) {
        let cost = try AnimationCost(of: plan, header: header, format: .png)
        guard frames > limits.frames || cost.pixels(keeping: 0, of: frames) > limits.pixels else { return }
        throw refusal(.frame, "needs \(frames) frames to be decoded: " + overLimit(frames, cost, limits, keeping: 0))
    }

    private static func overLimit(
        _ frames: Int,
        _ cost: AnimationCost,
        _ limits: AnimationLimits,
        keeping kept: Int? = nil
    ) -> String {
        if frames > limits.frames { return "\(frames) frames are over the limit of \(limits.frames) (limits.frames)" }
        let pixels = cost.pixels(keeping: kept ?? frames, of: frames)
        return "\(frames) frames cost about \(pixels) pixels, over the limit of \(limits.pixels) (limits.animation)"
    }

    private static func refusal(_ setting: PlanSetting, _ reason: String) -> RequestError {
        RequestError(parameter: setting.name, reason: reason, status: .unprocessable)
    }
}

extension Plan {
    /// Whether the original itself is as good a result: nothing is asked of its pixels, its frames or its encoding.
    fileprivate func leavesAsItIs(_ header: ImageHeader, as format: ImageFormat) -> Bool {
        isIdentity && format == header.format && header.orientation == 1 && settings.animation.playsAsSource
            && (settings.background == nil || header.hasAlpha == false) && settings.quality == nil
            && settings.encoding == EncodingSettings() && settings.metadata != .copyright
            && MetadataCleaner.supports(header.format)
    }
}
