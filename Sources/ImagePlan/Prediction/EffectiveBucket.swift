extension PlanEffect.Encoding {
    /// The bucket without the format that its clients accept and that the result never has, if the header tells which that is.
    ///
    /// Clients that accept both AVIF and JPEG XL get the same photographs as those that accept JPEG XL alone, and the same drawings as
    /// those that accept AVIF alone (`FormatNegotiation`).
    ///
    /// - Parameter size: the size of the result, or more.
    func effectiveBucket(of plan: Plan, on header: ImageHeader, size: PixelSize) -> FormatBucket? {
        guard bucket == .avifJXL, !takesSmallest, unwritten.isDisjoint(with: [.avif, .jxl]) else { return bucket }
        func prefersJXL(sourceHasAlpha: Bool) -> Bool {
            FormatNegotiation.prefersJXL(header.format, hasAlpha: plan.hasAlpha(source: sourceHasAlpha))
        }
        // Of other formats, only the decoder knows whether a pixel is transparent.
        let isPhotograph = prefersJXL(sourceHasAlpha: false)
        guard header.format == .jpeg || isPhotograph == prefersJXL(sourceHasAlpha: true) else { return bucket }
        if isPhotograph { return .jxl }
        // Larger drawings are JPEG XL. What WebP can hold, AVIF can, too.
        let longest = EncoderTable.common[.webp]?.longestSide ?? 0
        return max(size.width, size.height) <= longest ? .avif : bucket
    }
}
