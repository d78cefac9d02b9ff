import HTTPCache
import ImagePlan

extension VariantRequest {
    /// Returns the effort with which a stored result is encoded again.
    ///
    /// - Returns: `nil` if it was made so before, cannot become smaller, was the smallest of several formats, or takes longer than half
    ///   of `timeouts.transform`.
    func recompression(of record: VariantRecord) -> Int? {
        guard !record.isStandIn, !record.isCompact, !encodingSearch.takesSmallest, let plan else { return nil }
        return Recompression.effort(
            of: plan,
            result: record.format,
            // The sides of a record from another node, or of a damaged one, may be any.
            pixels: PixelSize(width: record.width, height: record.height).pixels,
            frames: record.frames,
            bucket: bucket ?? .rest,
            quality: quality,
            within: origin.source.timeouts.transform / 2
        )
    }
}
