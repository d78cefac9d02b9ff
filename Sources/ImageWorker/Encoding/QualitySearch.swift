import ImagePlan

/// The search for the highest quality whose result has at most `max_bytes`.
struct QualitySearch {
    let maximumBytes: Int

    /// The maximum number of encodes: bisecting 100 qualities takes seven, including the requested one.
    static let maximumTries = 7

    /// Encodes at `quality`, and bisects lower ones if the result is too large.
    ///
    /// - Throws: `RequestError` (422) if no quality is small enough.
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

    /// Returns the error for an image that cannot be made small enough: 422.
    static func refusal(smallest: Int, _ maximumBytes: Int) -> RequestError {
        RequestError(
            parameter: PlanSetting.maximumBytes.name,
            reason: "the smallest result has \(smallest) bytes, and the request allows \(maximumBytes)",
            status: .unprocessable
        )
    }
}

extension Coder {
    /// Encodes within the request's `max_bytes`.
    ///
    /// - Throws: the errors of `encode`, and `RequestError` (422) if no quality is small enough.
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

    /// Whether the encoder has a quality.
    var hasQuality: Bool { EncodingSearch.formats.contains(format) }

    /// Encodes with an encoder that targets a size by itself; `nil` for other formats.
    private func encodeAiming(
        _ picture: FinishedPicture,
        _ options: EncodingOptions,
        at bytes: Int
    ) throws -> EncodedPicture? {
        guard let webp = self as? WebPCoder, picture.animation == nil else { return nil }
        return try webp.encode(picture, options, targetBytes: bytes)
    }
}
