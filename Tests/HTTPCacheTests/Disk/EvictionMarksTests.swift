import Testing

@testable import HTTPCache

@Suite(.timeLimit(.minutes(1)))
struct EvictionMarksTests {
    @Test func `an object that fits is admitted, and makes room down to the low-water mark`() {
        let marks = EvictionMarks(quota: 1_000)
        #expect(marks.admits(1_000) && !marks.admits(1_001))
        #expect(!marks.mustEvict(900, before: 100) && marks.mustEvict(901, before: 100))
        #expect(marks.low == 900 && marks.goal(before: 100) == 800 && marks.goal(before: 950) == 0)
    }

    @Test func `the last entry stays`() {
        let marks = EvictionMarks(quota: 1_000, lowWater: 0.5)
        #expect(marks.isReached(by: 501, entries: 1) && !marks.isReached(by: 501, entries: 2))
        #expect(marks.isReached(by: 500, entries: 9))
    }

    @Test func `a quota of nothing admits nothing`() {
        #expect(!EvictionMarks(quota: 0).admits(0))
    }
}
