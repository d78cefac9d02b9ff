import CacheTestSupport
import Cluster
import HTTPCache
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct StoreQueueTests {
    private func item(_ number: Int, _ bytes: Int, body: Bool = true, changed: Bool = false) throws -> StoreQueue.Item {
        let content = CacheFixture.bytes(bytes, seed: changed ? 1_000 + number : number)
        let record = CacheFixture.origin(number, body: content)
        let work = StoreQueue.Work.original(record, body ? try CacheFixture.body(content) : nil, SharedPlace())
        return StoreQueue.Item(key: StoreObject.metaKey(record.key), work: work, subject: PurgeSubject(record))
    }

    @Test func `the newest write is dropped when the bytes do not fit`() throws {
        let queue = StoreQueue(bytes: 25_000)
        for number in 1...3 { queue.add(try item(number, 10_000)) }
        #expect(queue.counts == (2, 24_096, 1))
        #expect(queue.next()?.key == (try item(1, 10_000).key))
        // What is being written still has its bytes.
        queue.add(try item(4, 10_000))
        #expect(queue.counts.dropped == 2)
        queue.finish(try item(1, 10_000))
        queue.add(try item(4, 10_000))
        #expect(queue.counts == (2, 24_096, 2))
    }

    @Test func `the newest write is dropped when there are too many`() throws {
        let queue = StoreQueue(bytes: 1 << 30, count: 2)
        for number in 1...3 { queue.add(try item(number, 10)) }
        #expect(queue.counts.queued == 2 && queue.counts.dropped == 1)
    }

    @Test func `the newest content is dropped when too many files are open`() throws {
        let queue = StoreQueue(bytes: 1 << 30, files: 2)
        for number in 1...3 { queue.add(try item(number, 10)) }
        #expect(queue.counts.queued == 2 && queue.counts.dropped == 1)
        // A record alone keeps no file open, and neither does one that takes over the content of a waiting one.
        queue.add(try item(4, 10, body: false))
        queue.add(try item(2, 10, body: false))
        #expect(queue.counts.queued == 3 && queue.counts.dropped == 1)
        // What is being written still has its file.
        let first = try #require(queue.next())
        queue.add(try item(5, 10))
        #expect(queue.counts.dropped == 2)
        queue.finish(first)
        queue.add(try item(5, 10))
        #expect(queue.counts.queued == 3 && queue.counts.dropped == 2)
        queue.purge(.source("photos"))
        #expect(queue.counts == (0, 0, 5))
        for number in 6...7 { queue.add(try item(number, 10)) }
        #expect(queue.counts.queued == 2 && queue.counts.dropped == 5)
    }

    @Test func `a later record replaces a waiting one, and keeps its content`() throws {
        let queue = StoreQueue(bytes: 1 << 20)
        queue.add(try item(1, 1_000))
        queue.add(try item(1, 1_000, body: false))
        guard case .original(_, .some, _)? = queue.next()?.work else {
            Issue.record("the content is lost")
            return
        }
        #expect(queue.counts == (1, 3_048, 0))
        let other = StoreQueue(bytes: 1 << 20)
        other.add(try item(1, 1_000))
        other.add(try item(1, 1_000, body: false, changed: true))
        guard case .original(_, .none, _)? = other.next()?.work else {
            Issue.record("the content of another response is kept")
            return
        }
    }

    /// Creates an item whose completion appends its name and the result.
    private func item(_ number: Int, _ name: String, _ told: Signal<[String]>, body: Bool = true, changed: Bool = false)
        throws -> StoreQueue.Item
    {
        var item = try item(number, 1_000, body: body, changed: changed)
        item.completion = StoreCompletion { isStored in told.update { $0.append("\(name) \(isStored)") } }
        return item
    }

    @Test func `a later record that keeps the content of a waiting write keeps its completion`() throws {
        let told = Signal<[String]>([])
        let queue = StoreQueue(bytes: 1 << 20, count: 2)
        queue.add(try item(1, "content", told))
        queue.add(try item(1, "record", told, body: false))
        #expect(told.value.isEmpty)
        queue.next()?.completion?.end(true)
        #expect(told.value == ["content true", "record true"])
        // A record without a completion of its own keeps the waiting one.
        queue.add(try item(2, "kept", told))
        queue.add(try item(2, 1_000, body: false))
        #expect(told.value.count == 2)
        queue.next()?.completion?.end(true)
        #expect(told.value.last == "kept true")
        // The content of another response is not written.
        queue.add(try item(3, "old", told))
        queue.add(try item(3, "new", told, body: false, changed: true))
        #expect(told.value.last == "old false" && told.value.count == 4)
        queue.close()
        #expect(told.value.last == "new false" && told.value.count == 5)
    }

    @Test func `the caller of a write is told that it was dropped`() throws {
        let told = Signal<[String]>([])
        func item(_ number: Int, _ name: String) throws -> StoreQueue.Item { try self.item(number, name, told) }
        let queue = StoreQueue(bytes: 1 << 20, count: 3)
        for number in 1...4 { queue.add(try item(number, "\(number)")) }
        #expect(told.value == ["4 false"])
        queue.add(try item(3, "again"))
        #expect(told.value == ["4 false", "3 false"])
        queue.purge(.originals([CacheKey(hashing: "origin 2")]))
        #expect(told.value == ["4 false", "3 false", "2 false"])
        let next = queue.next()
        next?.completion?.end(true)
        #expect(told.value.last == "1 true")
        queue.close()
        #expect(told.value.last == "again false")
        queue.add(try item(5, "late"))
        #expect(told.value.last == "late false" && told.value.count == 6)
    }

    @Test func `a purge drops what it selects, and what it may select`() throws {
        let queue = StoreQueue(bytes: 1 << 20)
        for number in 1...3 { queue.add(try item(number, 100)) }
        queue.add(StoreQueue.Item(key: "m/x", work: .removal))
        queue.purge(.originals([CacheKey(hashing: "origin 2")]))
        #expect(queue.counts.queued == 3 && queue.counts.dropped == 1)
        queue.purge(.source("photos"))
        #expect(queue.counts == (1, 256, 3))
    }

    @Test func `closing it drops what waits and ends the writers`() throws {
        let queue = StoreQueue(bytes: 1 << 20)
        queue.add(try item(1, 100))
        queue.close()
        #expect(queue.next()?.key == nil && queue.pause(nanoseconds: .max / 2))
        queue.add(try item(2, 100))
        #expect(queue.counts == (0, 0, 1))
    }
}
