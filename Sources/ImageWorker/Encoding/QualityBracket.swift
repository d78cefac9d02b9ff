import Glibc

/// Which quality to try next on the way to the lowest whose distance is no more than a target.
///
/// Numbers only. The distance's logarithm is nearly linear in the quality, so that two or three tries find what halving needs six for;
/// where it is not, halving goes on until no much lower quality can be near enough.
struct QualityBracket {
    /// What no result may be further than.
    let target: Double
    /// The quality to try next.
    private(set) var next: Int
    /// Whether another try is of no use.
    private(set) var isOver = false
    private(set) var tries = 0
    private var failing: Point?
    private var passing: Point?
    private var last: Point?
    /// The qualities between what fails and what passes, once both are known.
    private var width: Int?
    /// Whether a line through both has led nowhere, so that halving finds more.
    private var isBent = false
    /// Whether a try on such a line has narrowed the qualities by less than half.
    private var hasMissed = false

    private struct Point {
        var quality: Int
        var logarithm: Double
    }

    /// Below is rubble, whatever a distance says, and above bytes are spent on nothing to be seen.
    static let range = 40...95
    /// The most tries.
    static let most = 7
    /// The tries after which a result is taken that may be up to `tolerance` qualities too high.
    static let usual = 4
    static let tolerance = 5
    /// A distance over this share of the target is near enough: a quality or two.
    private static let near = 0.87
    /// The share of the target that is aimed at, in the middle of what is near enough.
    private static let aim = 0.935
    /// How far from the aim, as a logarithm, a try on a line through two others shows that the line is no guide.
    private static let farOff = 0.16
    /// How much the logarithm falls for each quality, before two tries have told it: JPEG, WebP and AVIF are much alike.
    private static let slope = 0.045
    /// What two tries on the same side of the target may tell of it.
    private static let slopes = 0.01...0.2

    /// Begins at a guess.
    init(target: Double, from guess: Int) {
        self.target = target
        next = min(max(guess, Self.range.lowerBound), Self.range.upperBound)
    }

    /// The lowest quality that is known to be near enough; else, where no try is, the best guess.
    var result: Int { passing?.quality ?? next }
    /// Whether `result` was tried.
    var isFound: Bool { passing != nil || (isOver && failing?.quality == next) }

    /// Takes in the distance at `next`.
    mutating func note(_ distance: Double) {
        tries += 1
        // Of a flat picture there is none; a logarithm needs some.
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
                // One try that came close and was of little use is the line's due, two are not.
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
