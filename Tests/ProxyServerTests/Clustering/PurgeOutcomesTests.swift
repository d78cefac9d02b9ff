import HTTPCache
import LinuxSystem
import TestSupport
import Testing

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct PurgeOutcomesTests {
    private let outcomes = PurgeOutcomes()
    private let memory = Signal<[Int]>([])

    private func counts(_ number: Int) -> PurgeCounts {
        var counts = PurgeCounts()
        counts.memory = number
        return counts
    }

    private func take(_ sequence: UInt64) {
        outcomes.take(sequence) { [memory] counts in memory.update { $0.append(counts.memory) } }
    }

    @Test func `an outcome is delivered whether the request or the purge comes first`() throws {
        outcomes.finish(1, counts(10))
        take(1)
        #expect(try memory.wait { $0 == [10] } == [10])
        take(2)
        #expect(try memory.wait { $0 == [10] } == [10])
        outcomes.finish(2, counts(20))
        #expect(try memory.wait { $0.count == 2 } == [10, 20])
    }

    @Test func `a gap completes the requests before it`() throws {
        take(5)
        take(7)
        outcomes.passOver(upTo: 6)
        #expect(try memory.wait { $0.count == 1 } == [0])
        outcomes.finish(7, counts(70))
        #expect(try memory.wait { $0.count == 2 } == [0, 70])
        take(6)
        #expect(try memory.wait { $0.count == 3 } == [0, 70, 0])
    }

    @Test func `outcomes that nobody takes are bounded`() throws {
        for sequence in 1...3_000 { outcomes.finish(UInt64(sequence), counts(sequence)) }
        take(1)
        take(3_000)
        #expect(try memory.wait { $0.count == 2 } == [0, 3_000])
    }
}
