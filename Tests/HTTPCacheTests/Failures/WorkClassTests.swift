import CacheTestSupport
import HTTPCache
import TestSupport
import Testing

/// The order of classes of work, which decides what a failure predicts.
@Suite(.timeLimit(.minutes(1)))
struct WorkClassTests {
    private func work(_ kind: String = "webp", _ parts: Set<String> = [], _ levels: [Int] = [4, 8]) -> WorkClass {
        WorkClass(kind: kind, parts: parts, levels: levels, description: "x")
    }

    @Test func `work is as costly with the same kind, at least the same parts and no lower level`() {
        #expect(work().isAtMost(work()))
        #expect(work().isAtMost(work("webp", ["blur"])))
        #expect(work().isAtMost(work("webp", [], [4, 9])) && work().isAtMost(work("webp", [], [5, 8])))
        #expect(!work("webp", ["blur"]).isAtMost(work()))
        #expect(!work("webp", ["blur"]).isAtMost(work("webp", ["crop"], [9, 9])))
        #expect(!work().isAtMost(work("webp", [], [3, 9])) && !work().isAtMost(work("webp", ["blur"], [4, 7])))
        #expect(!work().isAtMost(work("avif", [], [9, 9])))
        #expect(!work().isAtMost(work("webp", [], [4, 8, 1])))
    }

    @Test func `keys differ by original and class`() {
        let (one, two) = (CacheKey(hashing: "one"), CacheKey(hashing: "two"))
        let all = [
            work(), work("avif"), work("webp", ["blur"]), work("webp", ["blur", "crop"]),
            work("webp", ["blur crop", "x"]),
            work("webp", [], [48]), work("webp", [], [8, 4]),
        ]
        #expect(Set(all.flatMap { [$0.failureKey(of: one), $0.failureKey(of: two)] }).count == 2 * all.count)
        #expect(work().failureKey(of: one) == work().failureKey(of: one))
    }
}
