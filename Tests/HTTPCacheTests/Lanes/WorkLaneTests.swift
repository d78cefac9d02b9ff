import LinuxSystem
import Testing

@testable import HTTPCache

@Suite(.timeLimit(.minutes(1)))
struct WorkLaneTests {
    /// Blocks work until the test releases it.
    private struct Gate: Sendable {
        private let state = Monitor((entered: 0, isOpen: false))

        func pass() {
            state.update(wakingAll: true) { $0.entered += 1 }
            _ = state.wait { $0.isOpen ? true : nil }
        }

        func waitUntil(entered count: Int) {
            _ = state.wait { $0.entered >= count ? true : nil }
        }

        func open() {
            state.update(wakingAll: true) { $0.isOpen = true }
        }
    }

    @Test func `runs work on all its threads`() throws {
        let lane = try WorkLane(.init(name: "test", threads: 3, capacity: 8))
        let gate = Gate()
        for _ in 0..<3 { #expect(lane.submit(gate.pass)) }
        // Returns only if all three run at the same time.
        gate.waitUntil(entered: 3)
        gate.open()
        lane.stop()
    }

    @Test func `runs work in order on one thread`() throws {
        let lane = try WorkLane(.init(name: "test", threads: 1, capacity: 200))
        let seen = Monitor<[Int]>([])
        for number in 0..<200 { #expect(lane.submit { seen.withLock { $0.append(number) } }) }
        lane.stop()
        #expect(seen.withLock { $0 } == Array(0..<200))
    }

    @Test func `refuses work when full, and accepts it again later`() throws {
        let lane = try WorkLane(.init(name: "test", threads: 1, capacity: 2))
        let gate = Gate()
        let count = Monitor(0)
        #expect(lane.submit(gate.pass))
        gate.waitUntil(entered: 1)
        #expect(lane.submit { count.withLock { $0 += 1 } })
        #expect(lane.submit { count.withLock { $0 += 1 } })
        #expect(!lane.submit { count.withLock { $0 += 100 } })
        #expect(lane.depth == 2)
        gate.open()
        lane.stop()
        #expect(count.withLock { $0 } == 2)
    }

    @Test func `finishes queued work when it stops, and accepts none afterwards`() throws {
        let lane = try WorkLane(.init(name: "test", threads: 2, capacity: 1000))
        let count = Monitor(0)
        for _ in 0..<1000 { #expect(lane.submit { count.withLock { $0 += 1 } }) }
        lane.stop()
        #expect(count.withLock { $0 } == 1000)
        #expect(!lane.submit { count.withLock { $0 += 1 } })
        lane.stop()
    }

    @Test func `runs everything once with many submitters`() async throws {
        let lane = try WorkLane(.init(name: "test", threads: 2, capacity: 100_000))
        let count = Monitor(0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask { for _ in 0..<5000 { _ = lane.submit { count.withLock { $0 += 1 } } } }
            }
        }
        lane.stop()
        #expect(count.withLock { $0 } == 20_000)
    }
}
