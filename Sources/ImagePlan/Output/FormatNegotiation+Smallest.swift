extension FormatNegotiation {
    /// What `format=auto` may answer where the smallest is wanted, `chosen` first: formats that the bucket's clients show and that
    /// give up no more of the picture than `chosen` does.
    ///
    /// An animation stays what it is: no other format of the buckets comes near WebP, and GIF costs most to try.
    ///
    /// - Parameters:
    ///   - chosen: what `choose` has chosen.
    ///   - demand: the result.
    package static func contenders(
        chosen: ImageFormat,
        bucket: FormatBucket,
        demand: EncoderTable.Demand,
        encoders: EncoderTable
    ) -> [ImageFormat] {
        guard !demand.isAnimated else { return [chosen] }
        let shown: [ImageFormat] =
            switch bucket {
            case .rest: [.jpeg, .png]
            case .webp: [.webp, .jpeg, .png]
            case .avif: [.webp, .avif, .jpeg, .png]
            }
        return [chosen] + shown.filter { $0 != chosen && encoders.canEncode($0, demand) }
    }
}
