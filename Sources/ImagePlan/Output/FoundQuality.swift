/// The quality that `q=auto` found for a result, and the score of the result.
package struct FoundQuality: Hashable, Sendable {
    /// The encoder's quality, 1–100.
    package var quality: Int
    /// The score of SSIMULACRA 2 in tenths, 1–1,000; 1,000 for a result that equals the image.
    package var score: Int

    /// Creates a description.
    package init(quality: Int, score: Int) {
        self.quality = quality
        self.score = score
    }

    /// The value of `X-Quality`, such as `74; score=73.8` (RFC 9651 §3.3: an item with a parameter).
    package var text: String { "\(quality); score=\(score / 10).\(score % 10)" }
}
