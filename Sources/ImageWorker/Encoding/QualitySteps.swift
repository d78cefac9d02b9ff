/// The qualities that a search tries: a guess, and after a miss the quality that the format's curve, or two results, suggest.
struct QualitySteps {
    /// The score to reach.
    let target: Double
    /// The quality to try next; `nil` once the search has ended.
    private(set) var next: Int?
    /// The quality of the try with the score nearest to the target; `nil` before the first.
    var best: Int? { nearest?.quality }
    private(set) var tries = 0
    private let model: QualityModel
    private var nearest: Point?
    /// The highest quality that scored less than the target, and the lowest that did not.
    private var below: Point?
    private var above: Point?

    private struct Point {
        var quality: Int
        var score: Double
    }

    /// The qualities to consider: lower ones look bad, higher ones spend bytes on invisible detail.
    static let range = 15...95
    /// The maximum number of tries.
    static let most = 5
    /// The difference between a score and the target that ends the search, in points.
    let tolerance: Double

    /// Begins at the model's guess.
    ///
    /// The tolerance grows with the distance from the image, as scores spread more. A smaller one takes more tries, a larger one leaves
    /// more of the spread (Benchmarks/README.md).
    init(model: QualityModel, traits: PictureTraits?, target: Double) {
        self.model = model
        self.target = target
        tolerance = model.tolerance + 0.08 * (75 - min(target, 100))
        next = Self.range.clamp(model.quality(for: target, traits))
    }

    /// Begins at a quality whose score is near the target, and comes as near as `tolerance`.
    init(model: QualityModel, from quality: Int, target: Double, tolerance: Double) {
        self.model = model
        self.target = target
        self.tolerance = tolerance
        next = Self.range.clamp(Double(quality))
    }

    /// Records the score at `next`.
    mutating func note(_ score: Double) {
        guard let quality = next else { return }
        tries += 1
        let point = Point(quality: quality, score: score)
        // Of scores that are equal but for rounding, such as those of a flat image, the lower quality.
        let (off, least) = (abs(score - target), nearest.map { abs($0.score - target) } ?? .infinity)
        let isLower = quality < nearest?.quality ?? .max
        if isLower ? off < least + 0.1 : off < least - 0.1 { nearest = point }
        if score < target { below = point } else { above = point }
        next = nil
        guard abs(score - target) > tolerance, tries < Self.most else { return }
        if let below, let above {
            // Encoders may score less at a higher quality, if only by a little.
            guard above.quality - below.quality > 1 else { return }
            let share = (target - below.score) / (above.score - below.score)
            let wanted = Double(below.quality) + share * Double(above.quality - below.quality)
            next = min(max(Int(wanted.rounded()), below.quality + 1), above.quality - 1)
        } else {
            let wanted = model.quality(scoring: model.score(at: Double(quality)) + target - score)
            let step =
                score < target ? max(Int(wanted.rounded()), quality + 1) : min(Int(wanted.rounded()), quality - 1)
            let clamped = Self.range.clamp(Double(step))
            next = clamped == quality ? nil : clamped
        }
    }
}

extension ClosedRange<Int> {
    /// Returns the nearest whole number in the range.
    fileprivate func clamp(_ value: Double) -> Int {
        Int(Swift.min(Swift.max(value.rounded(), Double(lowerBound)), Double(upperBound)))
    }
}
