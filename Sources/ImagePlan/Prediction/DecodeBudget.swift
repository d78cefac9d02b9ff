/// The budget of decoded bytes, `limits.decode-bytes` (SDWebImage's `imageScaleDownLimitBytes`).
///
/// A decoded pixel counts four bytes. A JPEG over the budget is loaded smaller as long as the result does not have to be enlarged
/// again; everything else over the budget is refused.
package enum DecodeBudget {
    /// Bytes per decoded pixel: four 8-bit bands.
    package static let bytesPerPixel = 4
    /// The default budget, more than the default `limits.pixels` and `limits.animation` permit.
    package static let standardBytes = 1 << 30

    /// The reason to refuse decoding an original for a plan; `nil` if it is within the budget or the plan is invalid for it.
    ///
    /// - Parameters:
    ///   - plan: a plan text, also of a description or a placeholder.
    ///   - header: the original's header; a size of 0 (SVG, PDF) is within every budget, since the result's size counts.
    package static func refusal(of header: ImageHeader, plan text: String, within bytes: Int) -> String? {
        let size = header.orientedSize
        guard size.pixels.multipliedSaturated(by: bytesPerPixel) > bytes else { return nil }
        guard let factor = factor(of: header, plan: text, within: bytes) else { return nil }
        return refusal(of: size, loadedSmallerBy: factor, within: bytes)
    }

    /// An upper bound of the decoded bytes of a job, over all its frames, for samples of 8 bits.
    ///
    /// Decoders that read line by line need less. Invalid plans count as if the whole original were decoded, and the removal of
    /// metadata as nothing.
    ///
    /// - Parameters:
    ///   - plans: the texts of all plans of the job.
    ///   - bytes: `limits.decode-bytes` of the source, which animations never exceed.
    package static func estimate(of header: ImageHeader, plans: [String], within bytes: Int) -> Int {
        let frames = header.format.decodesAnimation ? max(1, header.frames) : 1
        return plans.filter { $0 != MetadataCleaner.planText }
            .map { plan in
                if OriginalTranscoding.isStated(inPlan: plan) {
                    return header.orientedSize.pixels.multipliedSaturated(by: OriginalTranscoding.bytesPerPixel)
                }
                let factor = factor(of: header, plan: plan, within: bytes) ?? 1
                let frame = Self.bytes(of: header.orientedSize, loadedSmallerBy: factor)
                // The worker compares a lossless copy with its original.
                if LosslessCopy.orientation(inPlan: plan) != nil { return frame.multipliedSaturated(by: 2) }
                return frames == 1 ? frame : min(bytes, frame.multipliedSaturated(by: frames))
            }
            .max() ?? 0
    }

    /// The reduction at which an original is loaded for a plan; `nil` if the plan is invalid for it.
    private static func factor(of header: ImageHeader, plan text: String, within bytes: Int) -> Int? {
        let size = header.orientedSize
        let plan = try? Plan(canonicalText: PictureDescription.reading(text).canonicalText)
        guard let plan = text == Placeholder.planText ? .identity : plan else { return nil }
        let isTiny = text == Placeholder.planText || plan.settings.format.isMetadata && plan.settings.pixel == nil
        let side = TinyPicture.longestSide
        let steps = isTiny ? plan.steps + [ResizeStep(width: side, height: side)] : plan.steps
        guard let resolved = try? PlanGeometry.resolve(Plan(steps: steps), source: size, maximumPixels: .max) else {
            return nil
        }
        return ShrinkOnLoad.factor(
            for: header.format,
            steps: resolved,
            source: size,
            orientation: header.orientation,
            within: bytes
        )
    }

    /// The reason to refuse decoding an image at a reduction; `nil` if it is within the budget.
    package static func refusal(of size: PixelSize, loadedSmallerBy factor: Int, within bytes: Int) -> String? {
        let decoded = Self.bytes(of: size, loadedSmallerBy: factor)
        guard decoded > bytes else { return nil }
        return "\(size.width)×\(size.height) pixels need \(decoded) bytes to decode, "
            + "more than the limit of \(bytes) (limits.decode-bytes)"
    }

    /// The decoded bytes of an image that is loaded smaller.
    static func bytes(of size: PixelSize, loadedSmallerBy factor: Int) -> Int {
        let width = (size.width + factor - 1) / factor
        let height = (size.height + factor - 1) / factor
        return PixelSize(width: width, height: height).pixels.multipliedSaturated(by: bytesPerPixel)
    }
}
