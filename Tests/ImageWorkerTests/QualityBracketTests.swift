import Glibc
import Testing

@testable import ImageWorker

@Suite(.timeLimit(.minutes(1)))
struct QualityBracketTests {
    /// Runs a search on a curve like that of encoders: the distance falls with the quality, and faster at its end.
    private func run(
        from guess: Int,
        target: Double = 1,
        _ distance: (Int) -> Double
    ) -> (result: Int, tries: [Int], isFound: Bool) {
        var bracket = QualityBracket(target: target, from: guess)
        var tries: [Int] = []
        while !bracket.isOver {
            tries.append(bracket.next)
            bracket.note(distance(bracket.next))
        }
        return (bracket.result, tries, bracket.isFound)
    }

    @Test(arguments: [0.025, 0.035, 0.05, 0.08], [45, 55, 65, 75, 85, 93])
    func `a smooth curve takes few tries and ends within the target`(slope: Double, needed: Int) {
        for guess in [40, 60, 80, 95] {
            let curve = { (quality: Int) in exp(Double(needed - quality) * slope) }
            let found = run(from: guess, curve)
            #expect(found.tries.count <= QualityBracket.most)
            #expect(found.isFound && curve(found.result) <= 1, "\(slope) \(needed) \(guess): \(found)")
            #expect(curve(found.result) > 0.75, "\(slope) \(needed) \(guess): \(found)")
        }
    }

    @Test func `a good guess is the only try`() {
        #expect(run(from: 71) { exp(Double(70 - $0) * 0.04) }.tries == [71])
    }

    @Test(arguments: [45, 60, 72, 80, 85, 94])
    func `a guess far too high is not the result if lower tries fail`(needed: Int) {
        // Distances with one steep fall, late or early.
        let curves: [(Int) -> Double] = [
            { $0 < needed ? 1.1 : 0.1 }, { $0 < needed ? 30 : 0.86 },
            { $0 < needed ? 1 + Double(needed - $0) / 500 : exp(Double(needed - $0) / 5) },
        ]
        for curve in curves {
            for guess in [40, 60, 80, 95] {
                let found = run(from: guess, curve)
                #expect(found.isFound && curve(found.result) <= 1, "\(needed) from \(guess): \(found)")
                #expect(found.result - needed <= QualityBracket.tolerance, "\(needed) from \(guess): \(found)")
            }
        }
    }

    @Test func `the lowest quality is used if it passes, the highest if none does`() {
        let flat = run(from: 80) { _ in 0 }
        #expect(flat.result == QualityBracket.range.lowerBound && flat.isFound)
        let hard = run(from: 80) { _ in 50 }
        #expect(hard.result == QualityBracket.range.upperBound && hard.isFound)
    }

    @Test func `a step in the curve is bracketed`() {
        // Like an encoder that switches to full chroma resolution.
        let curve = { (quality: Int) in quality < 72 ? 1.6 : 0.4 }
        for guess in [50, 70, 90] {
            let found = run(from: guess, curve)
            #expect(found.tries.count <= QualityBracket.most && found.isFound && found.result >= 72)
        }
    }

    @Test func `a guess out of range is clamped`() {
        #expect(QualityBracket(target: 1, from: 100).next == QualityBracket.range.upperBound)
        #expect(QualityBracket(target: 1, from: 1).next == QualityBracket.range.lowerBound)
    }
}
