import ImagePlan
import LinuxSystem

/// Encodes a still image again with more effort, to fewer bytes at an equal score (`EncodingSearch.secondEffort`).
///
/// With more effort, the same quality gives another score: an AVIF's is higher, a WebP's lower. Numbers of bytes are therefore compared at
/// the quality where the scores are equal.
struct SecondEncoding {
    let coder: any Coder
    let effort: Int

    /// The maximum number of points that the second encoding may score less.
    private static let largestLoss = 0.5

    /// Encodes again.
    ///
    /// - Parameters:
    ///   - picture: an image in memory.
    ///   - first: the first encoding.
    ///   - options: the options of the first encoding.
    /// - Returns: the second encoding, or the first if none was found that is smaller and scores as much.
    /// - Throws: the errors of encoding and decoding.
    func run(
        _ picture: FinishedPicture,
        after first: ScoreSearch.Found,
        _ options: EncodingOptions
    ) throws -> ScoreSearch.Found {
        var again = options.with(quality: first.quality)
        again.settings.effort = effort
        // The effort of a JPEG concerns its scans only.
        guard coder.format != .jpeg else {
            var found = first
            found.encoded = try coder.encode(picture, again)
            return found
        }
        guard let score = try first.score ?? ScoreSearch.score(of: first.encoded, from: picture, coder) else {
            return first
        }
        // Chroma that is subsampled with its effect on luma in mind scores more, but may take more bytes.
        let time = SystemTime()
        var spent: Int64 = 0
        for isSharp in coder.format == .webp && !again.webp.useSharpYUV ? [true, false] : [again.webp.useSharpYUV] {
            // The first encoding is a good answer if time is short.
            guard options.deadline.left > spent else { return first }
            let start = time.monotonic
            defer { spent = max(spent, time.monotonic - start) }
            again.webp.useSharpYUV = isSharp
            var search = ScoreSearch(coder: coder, options: again, target: score)
            search.isRefined = true
            let found = try search.run(picture)
            guard let reached = found.score, reached >= score - Self.largestLoss else { continue }
            if found.encoded.count < first.encoded.count { return found }
        }
        return first
    }
}
