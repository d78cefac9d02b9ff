import CacheTestSupport
import HTTPSemantics
import Testing

@testable import HTTPCache

@Suite(.timeLimit(.minutes(1)))
struct OriginTableTests {
    private let table = OriginTable()

    private func record(_ body: UInt8, at time: Int64 = 1000) -> OriginRecord {
        CacheFixture.origin(1, body: [body], responseTime: time)
    }

    @Test func `a snapshot keeps the record of its body when another download publishes`() {
        let first = table.update(record(1))
        let second = table.update(record(2))
        #expect(first.state === second.state)
        #expect(first.record.digest == record(1).digest && first.version != first.state.version)
        #expect(second.record.digest == record(2).digest && second.version == second.state.version)
        #expect(first.state.snapshot.record.digest == record(2).digest)
    }

    @Test func `a validation of the same body keeps its variants and makes them fresh`() {
        let first = table.update(record(1))
        let second = table.update(record(1, at: 2000))
        #expect(second.version == first.version)
        #expect(!first.state.isFresh(at: 2057) && first.state.isFresh(at: 2056))
    }

    @Test func `a state lives as long as it is referenced`() {
        var first: OriginSnapshot? = table.update(record(1))
        #expect(table.live(record(1).key) === first?.state)
        first = nil
        #expect(table.live(record(1).key) == nil)
    }
}
