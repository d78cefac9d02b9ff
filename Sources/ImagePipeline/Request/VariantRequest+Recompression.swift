import HTTPCache
import ImagePlan

extension VariantRequest {
    /// Returns the canonical text of the plan that encodes a stored result with more effort.
    ///
    /// - Returns: `nil` if it was made so before, cannot become smaller, was the smallest of several formats, or takes longer than half
    ///   of `timeouts.transform`.
    func recompression(of record: VariantRecord) -> String? {
        guard !record.isStandIn, !record.isCompact, !encodingSearch.takesSmallest, let plan else { return nil }
        let order = Recompression.order(
            of: plan,
            result: record.format,
            pixels: record.width * record.height,
            frames: record.frames,
            bucket: bucket ?? .rest,
            quality: quality
        )
        guard let order, order.milliseconds <= origin.source.timeouts.transform / 2 else { return nil }
        return order.plan
    }
}
