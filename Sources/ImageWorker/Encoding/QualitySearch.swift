import ImagePlan

/// Finds the highest quality whose result has no more than `max_bytes`.
struct QualitySearch {
    let maximumBytes: Int

    /// The most encodes: halving 100 qualities takes seven, the asked one among them.
    static let maximumTries = 7

    /// Encodes at `quality`, and then at lower ones until the result fits and no try is left.
    ///
    /// - Throws: `RequestError` (422) where even the lowest quality is larger.
    func run(from quality: Int, _ encode: (Int) throws -> EncodedPicture) throws -> EncodedPicture {
        let asked = try encode(quality)
        if asked.count <= maximumBytes { return asked }
        var smallest = asked.count
        var best: EncodedPicture?
        var range = 1...max(1, quality - 1)
        for _ in 1..<Self.maximumTries where quality > 1 {
            let middle = (range.lowerBound + range.upperBound) / 2
            let tried = try encode(middle)
            smallest = min(smallest, tried.count)
            if tried.count <= maximumBytes {
                best = tried
                guard middle < range.upperBound else { break }
                range = middle + 1...range.upperBound
            } else {
                guard middle > range.lowerBound else { break }
                range = range.lowerBound...middle - 1
            }
        }
        guard let best else { throw Self.refusal(smallest: smallest, maximumBytes) }
        return best
    }

    /// What is said of a picture that cannot be that small: 422.
    static func refusal(smallest: Int, _ maximumBytes: Int) -> RequestError {
        RequestError(
            parameter: PlanSetting.maximumBytes.name,
            reason: "the smallest result has \(smallest) bytes, and \(maximumBytes) are asked for",
            status: .unprocessable
        )
    }
}

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
