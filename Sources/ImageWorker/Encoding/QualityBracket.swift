import Glibc

/// The search for the lowest quality whose distance is at most a target; it decides which quality to try next.
///
/// The logarithm of the distance is nearly linear in the quality, so interpolation needs two or three tries where bisection needs six.
/// Where it is not linear, the search falls back to bisection.
struct QualityBracket {
    /// The largest allowed distance.
    let target: Double
    /// The quality to try next.
    private(set) var next: Int
    /// Whether the search has ended.
    private(set) var isOver = false
    private(set) var tries = 0
    private var failing: Point?
    private var passing: Point?
    private var last: Point?
    /// The number of qualities between the failing and the passing one, once both are known.
    private var width: Int?
    /// Whether interpolation has failed, so that bisection is used.
    private var isBent = false
    /// Whether an interpolated try has narrowed the qualities by less than half.
    private var hasMissed = false

    private struct Point {
        var quality: Int
        var logarithm: Double
    }

    /// The qualities to consider: lower ones look bad whatever the distance, higher ones spend bytes on invisible detail.
    static let range = 40...95
    /// The maximum number of tries.
    static let most = 7
    /// The number of tries after which a result may be up to `tolerance` qualities too high.
    static let usual = 4
    static let tolerance = 5
    /// The share of the target from which a distance is near enough: within one or two qualities.
    private static let near = 0.87
    /// The share of the target to aim at, in the middle of the acceptable range.
    private static let aim = 0.935
    /// The distance from the aim, as a logarithm, from which an interpolated try disproves linearity.
    private static let farOff = 0.16
    /// The initial estimate of the logarithm's decrease per quality; JPEG, WebP and AVIF are similar.
    private static let slope = 0.045
    /// The accepted range of a slope measured by two tries on the same side of the target.
    private static let slopes = 0.01...0.2

    /// Begins at a guess, clamped to `range`.
    init(target: Double, from guess: Int) {
        self.target = target
        next = min(max(guess, Self.range.lowerBound), Self.range.upperBound)
    }

    /// The lowest quality known to meet the target; without one, the best guess.
    var result: Int { passing?.quality ?? next }
    /// Whether `result` was tried.
    var isFound: Bool { passing != nil || (isOver && failing?.quality == next) }

    /// Records the distance at `next`.
    mutating func note(_ distance: Double) {
        tries += 1
        // A flat image has a distance of 0, which has no logarithm.
        let point = Point(quality: next, logarithm: log(max(distance, target / 1_000)))
        if distance <= target { passing = point } else { failing = point }
        let isNear = distance <= target && distance >= Self.near * target
        let isLowest = distance <= target && next == Self.range.lowerBound
        let isHighest = distance > target && next == Self.range.upperBound
        if let failing, let passing, passing.quality - failing.quality <= 1 { isOver = true }
        if isNear || isLowest || isHighest { isOver = true }
        guard !isOver else { return }
        if let failing, let passing {
            let rest = passing.quality - failing.quality
            if let width, 2 * rest > width {
                // Tolerate one interpolated try that came close but narrowed little, not two.
                isBent = hasMissed || abs(point.logarithm - log(target * Self.aim)) > Self.farOff
                hasMissed = true
            }
            width = rest
        }
        next = estimate(from: point)
        last = point
        if let failing, let passing, tries >= Self.usual, passing.quality - failing.quality <= Self.tolerance {
            isOver = true
        }
        if tries == Self.most { isOver = true }
    }

    private func estimate(from point: Point) -> Int {
        let aim = log(target * Self.aim)
        guard let failing, let passing else {
            var slope = Self.slope
            if let last {
                let seen = (last.logarithm - point.logarithm) / Double(point.quality - last.quality)
                slope = min(max(seen, Self.slopes.lowerBound), Self.slopes.upperBound)
            }
            let step = Int(((point.logarithm - aim) / slope).rounded(.awayFromZero))
            let moved = point.quality + (step == 0 ? (passing == nil ? 1 : -1) : step)
            return min(max(moved, Self.range.lowerBound), Self.range.upperBound)
        }
        if isBent { return (failing.quality + passing.quality + 1) / 2 }
        let share = (failing.logarithm - aim) / max(failing.logarithm - passing.logarithm, 0.001)
        let between = failing.quality + Int((share * Double(passing.quality - failing.quality)).rounded(.up))
        return min(max(between, failing.quality + 1), passing.quality - 1)
    }
}
