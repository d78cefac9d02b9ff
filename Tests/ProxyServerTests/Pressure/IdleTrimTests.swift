import LinuxSystem
import Testing

@testable import ProxyServer

/// Freed memory returns to the system after a while without requests, once until the next one.
@Suite(.timeLimit(.minutes(1)))
struct IdleTrimTests {
    /// An activity that a test sets, and the number of trims.
    private final class Work: Sendable {
        let state = Lock((activity: IdleTrim.Activity(done: 0, underWay: 0), trims: 0, unmaps: 0, patience: 3_000))

        func trim() -> IdleTrim {
            IdleTrim(
                patience: { self.state.withLock { $0.patience } },
                activity: { self.state.withLock { $0.activity } },
                trim: { self.state.withLock { $0.trims += 1 } },
                unmap: { self.state.withLock { $0.unmaps += 1 } }
            )
        }

        func set(done: Int, underWay: Int = 0) {
            state.withLock { $0.activity = IdleTrim.Activity(done: done, underWay: underWay) }
        }

        var trims: Int { state.withLock { $0.trims } }
        var unmaps: Int { state.withLock { $0.unmaps } }
    }

    private static let second: Int64 = 1_000_000_000

    @Test func `trims once after three seconds without activity, and again only after further activity`() {
        let work = Work()
        let idle = work.trim()
        for count in 1...10 {
            work.set(done: count)
            idle.check(after: Self.second)
        }
        #expect(work.trims == 0)
        for _ in 0..<2 { idle.check(after: Self.second) }
        #expect(work.trims == 0)
        for _ in 0..<20 { idle.check(after: Self.second) }
        #expect(work.trims == 1 && idle.trims == 1)
        work.set(done: 11)
        for _ in 0..<4 { idle.check(after: Self.second) }
        #expect(work.trims == 2)
    }

    @Test func `work in progress is activity`() {
        let work = Work()
        let idle = work.trim()
        work.set(done: 1, underWay: 1)
        for _ in 0..<100 { idle.check(after: Self.second) }
        #expect(work.trims == 0)
        work.set(done: 1)
        for _ in 0..<3 { idle.check(after: Self.second) }
        #expect(work.trims == 1)
    }

    @Test func `unmaps code once after the start, also of a busy daemon, and then with each trim`() {
        let work = Work()
        let idle = work.trim()
        work.set(done: 1, underWay: 1)
        for _ in 0..<10 { idle.check(after: Self.second) }
        #expect(work.unmaps == 1 && work.trims == 0)
        work.set(done: 1)
        for _ in 0..<10 { idle.check(after: Self.second) }
        #expect(work.unmaps == 2 && work.trims == 1)
    }

    @Test func `never trims with a patience of 0`() {
        let work = Work()
        work.state.withLock { $0.patience = 0 }
        let idle = work.trim()
        for _ in 0..<100 { idle.check(after: Self.second) }
        #expect(work.trims == 0)
    }
}
