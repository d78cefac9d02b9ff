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
    ///
    /// - Parameter advice: how a smaller one can be had, as a clause.
    static func refusal(smallest: Int, _ maximumBytes: Int, advice: String? = nil) -> RequestError {
        RequestError(
            parameter: PlanSetting.maximumBytes.name,
            reason: "the smallest result has \(smallest) bytes, and the request allows \(maximumBytes)"
                + (advice.map { "; " + $0 } ?? ""),
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
            guard encoded.count <= maximum else {
                let advice = advice(on: picture, options)
                throw QualitySearch.refusal(smallest: encoded.count, maximum, advice: advice)
            }
            return encoded
        }
        let computed = try picture.inMemory(options.deadline)
        if let aimed = try encodeAiming(computed, options, at: maximum), aimed.count <= maximum { return aimed }
        return try QualitySearch(maximumBytes: maximum).run(from: options.quality) { quality in
            try options.deadline.check()
            return try encode(computed, options.with(quality: quality))
        }
    }

    /// How to get a smaller result from an encoder whose quality is not searched, as a clause; `nil` if no quality makes one.
    private func advice(on picture: FinishedPicture, _ options: EncodingOptions) -> String? {
        guard format == .png, !options.isLossless, picture.animation == nil else { return nil }
        guard let quality = options.paletteQuality else {
            return "a PNG keeps every pixel unless q has a number for it, such as q=png:50"
        }
        return quality > 1
            ? "a lower q than png:\(quality) may be small enough" : nil
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
