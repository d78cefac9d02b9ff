import Glibc
import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

@Suite(.timeLimit(.minutes(1)))
struct QualityStepsTests {
    /// The traits of a soft gradient.
    private static let traits: PictureTraits? = {
        let image = PixelImage(width: 160, height: 160) { x, y in [UInt8(x), UInt8(y), 90, 255] }
        return unsafe image.bytes.withUnsafeBytes { PerceptualScore(of: $0, width: 160, height: 160, bands: 4).traits }
    }()

    /// Runs a search on a curve of scores.
    private func run(
        _ format: ImageFormat = .jpeg,
        target: Double = 75,
        _ score: (Int) -> Double
    ) -> (result: Int, tries: [Int]) {
        var steps = QualitySteps(model: .of(format), traits: Self.traits, target: target)
        var tries: [Int] = []
        while let quality = steps.next {
            tries.append(quality)
            steps.note(score(quality))
            #expect(steps.tries == tries.count)
        }
        return (steps.best ?? 0, tries)
    }

    @Test(arguments: [ImageFormat.jpeg, .webp, .avif, .jxl], [50.0, 62.5, 75, 82.5])
    func `an image above or below the mean curve takes few tries`(format: ImageFormat, target: Double) {
        let model = QualityModel.of(format)
        for off in stride(from: -14.0, through: 14, by: 2) {
            for steepness in [0.8, 1, 1.2] {
                let curve = { (quality: Int) in
                    target + (model.score(at: Double(quality)) + off - target) * steepness
                }
                let (result, tries) = run(format, target: target, curve)
                let tolerance = QualitySteps(model: model, traits: Self.traits, target: target).tolerance
                let isWithin = abs(curve(result) - target) <= tolerance
                let isAtEnd = !QualitySteps.range.dropFirst().dropLast().contains(result)
                #expect(isWithin || isAtEnd, "\(off) \(steepness): \(tries)")
                #expect(tries.count <= 4 && Set(tries).count == tries.count, "\(off) \(steepness): \(tries)")
            }
        }
    }

    @Test func `a good guess is the only try`() {
        let guess = run { _ in 75 }
        #expect(guess.tries == [guess.result])
        #expect(run { _ in 76.7 }.tries.count == 1)
        #expect(run { $0 == guess.result ? 77 : 75 }.tries.count == 2)
        #expect(run { $0 == guess.result ? 79 : 75 }.tries.count == 2)
    }

    @Test func `the nearest of two tries on either side is the result`() {
        // A step that no quality comes near.
        for (low, high, isHigh) in [(70.0, 79.0, true), (71, 80, false)] {
            let (result, tries) = run { $0 < 61 ? low : high }
            #expect(tries.contains(result))
            #expect((result >= 61) == isHigh && tries.count <= QualitySteps.most, "\(tries)")
        }
    }

    @Test func `the lowest quality is used if all are too good, the highest if none is`() {
        let flat = run { _ in 100 }
        #expect(flat.tries.last == QualitySteps.range.lowerBound && flat.tries.count <= QualitySteps.most)
        let hard = run { _ in 20 }
        #expect(hard.tries.last == QualitySteps.range.upperBound && hard.tries.count <= QualitySteps.most)
    }

    @Test func `a higher target has a higher guess`() {
        for format in [ImageFormat.jpeg, .webp, .avif, .jxl] {
            let guesses = [50.0, 62.5, 75, 82.5].map { QualityModel.of(format).quality(for: $0, Self.traits) }
            #expect(guesses == guesses.sorted() && Set(guesses).count == 4, "\(format): \(guesses)")
        }
    }

    @Test func `a curve and its inverse agree, also beyond its ends`() {
        let model = QualityModel.of(.webp)
        for quality in stride(from: 10.0, through: 100, by: 3) {
            #expect(abs(model.quality(scoring: model.score(at: quality)) - quality) < 1e-9)
        }
    }
}
