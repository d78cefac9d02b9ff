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
