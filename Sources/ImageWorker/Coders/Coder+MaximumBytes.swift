import ImagePlan

extension Coder {
    /// Encodes, and keeps within the request's `max_bytes`.
    ///
    /// - Throws: as `encode`, and `RequestError` (422) where no quality is small enough.
    func encodeWithinBounds(_ picture: FinishedPicture, _ options: EncodingOptions) throws -> EncodedPicture {
        guard let maximum = options.settings.maximumBytes else { return try encode(picture, options) }
        guard hasQuality, !options.isLossless else {
            let encoded = try encode(picture, options)
            if encoded.count > maximum { throw QualitySearch.refusal(smallest: encoded.count, maximum) }
            return encoded
        }
        let computed = try picture.inMemory(options.deadline)
        if let aimed = try encodeAiming(computed, options, at: maximum), aimed.count <= maximum { return aimed }
        return try QualitySearch(maximumBytes: maximum).run(from: options.quality) { quality in
            try options.deadline.check()
            return try encode(computed, options.with(quality: quality))
        }
    }

    /// Whether a lower quality makes smaller files.
    var hasQuality: Bool { EncodingSearch.formats.contains(format) }

    /// One encode that aims at a size itself; `nil` where the format has no such.
    private func encodeAiming(
        _ picture: FinishedPicture,
        _ options: EncodingOptions,
        at bytes: Int
    ) throws -> EncodedPicture? {
        guard let webp = self as? WebPCoder, picture.animation == nil else { return nil }
        return try webp.encode(picture, options, targetBytes: bytes)
    }
}
