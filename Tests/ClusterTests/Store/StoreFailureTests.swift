import CacheTestSupport
import Cluster
import HTTPCache
import LinuxSystem
import OriginTransfer
import TestSupport
import Testing

/// A store that is dead, frozen, slow, full, or cuts off what it sends.
@Suite(.timeLimit(.minutes(1)), .enabled(if: SeaweedFS.isWanted))
struct StoreFailureTests {
    private let body = CacheFixture.bytes(200_000, seed: 4)
    private let prefix: String

    init() throws { prefix = try SeaweedFS.prefix() }

    private var record: OriginRecord { CacheFixture.origin(1, body: body, responseTime: SystemTime().wallSeconds) }

    @Test func `a dead store is a miss at once, and after five of them is not asked`() throws {
        let origin = try ScriptedOrigin { _, _ in }
        origin.stop()
        let store = try StoreRig.store(prefix, endpoint: origin.url)
        for _ in 0..<7 { #expect(try store.original(record.key) == nil) }
        let statistics = store.statistics
        #expect(statistics.readFailures == 5 && statistics.skipped == 2 && statistics.isReadingSuspended)
    }

    @Test func `a frozen store is given up after the budget, and used again when it continues`() throws {
        let engine = try SeaweedFS()
        let time = ManualTime(wallSeconds: SystemTime().wallSeconds)
        let store = try StoreRig.store(prefix, endpoint: engine.endpoint, firstByte: 150, time: time)
        let steady = try StoreRig.store(prefix, endpoint: engine.endpoint)
        steady.store(original: record, body: try CacheFixture.body(body), at: SharedPlace())
        try steady.settle()
        engine.freeze()
        let found = Signal<[SharedOriginal?]>([])
        for _ in 0..<5 {
            store.find(original: record.key, atMost: .max, needsBody: true) { original in
                found.update { $0.append(original) }
            }
        }
        #expect(found.value.isEmpty)
        // The clock stands still until all are on their way.
        time.advance(seconds: 1)
        #expect(try found.wait { $0.count == 5 }.allSatisfy { $0 == nil })
        #expect(store.statistics.slow == 5 && store.statistics.isReadingSuspended)
        engine.thaw()
        time.advance(seconds: 1)
        #expect(try store.original(record.key)?.body?.length == body.count)
        #expect(!store.statistics.isReadingSuspended)
    }

    @Test func `writes wait for a store that has failed, and are given up after three attempts`() throws {
        let origin = try ScriptedOrigin { _, connection in connection.close() }
        let time = ManualTime(wallSeconds: SystemTime().wallSeconds)
        let store = try StoreRig.store(prefix, endpoint: origin.url, time: time) {
            $0.writers = 1
            $0.breaker.failures = 2
        }
        store.remove(original: record.key)
        let suspended = { store.statistics.isWritingSuspended }
        try waitWhile(!suspended())
        #expect(store.statistics.queued == 1)
        try waitFor {
            time.advance(seconds: 30)
            return store.statistics.writeFailures == 0 ? nil : true
        }
        #expect(store.statistics.queued == 0 && store.statistics.writes == 0)
    }

    @Test func `a full queue drops the newest writes, and nothing waits`() throws {
        // It accepts writes, and never answers.
        let origin = try ScriptedOrigin { _, _ in }
        defer { origin.stop() }
        let store = try StoreRig.store(prefix, endpoint: origin.url) { $0.queue = 450_000 }
        for number in 1...4 {
            let record = CacheFixture.origin(number, body: body)
            store.store(original: record, body: try CacheFixture.body(body), at: SharedPlace())
        }
        #expect(store.statistics.dropped == 2 && store.statistics.queuedBytes <= 450_000)
    }

    @Test func `content that is cut off on its way is a miss, and remains in the store`() throws {
        let engine = try SeaweedFS.shared()
        let cut = Lock(60_000)
        let proxy = try ScriptedOrigin { request, connection in
            // The signature covers the Host field, which stays as it is.
            guard let client = try? RawHTTPClient(port: engine.port, timeoutMilliseconds: 20_000),
                (try? client.send(request.head)) != nil, let answer = try? client.readResponse()
            else { return connection.close() }
            let date = "Date: \(answer["Date"] ?? "")"
            let message = ScriptedConnection.message("\(answer.status) OK", [date], body: answer.body)
            connection.send(Array(message.prefix(cut.withLock { $0 })))
            connection.close()
        }
        let (one, other) = try (StoreRig.store(prefix), StoreRig.store(prefix, endpoint: proxy.url))
        one.store(original: record, body: try CacheFixture.body(body), at: SharedPlace())
        try one.settle()
        let found = try #require(try other.original(record.key))
        #expect(found.body == nil && other.statistics.readFailures == 1 && other.statistics.damaged == 0)
        cut.withLock { $0 = 300 }
        #expect(try other.original(record.key) == nil)
        cut.withLock { $0 = .max }
        #expect(try other.original(record.key)?.body?.length == body.count)
    }

    @Test func `a store that sends slower than expected is given up`() throws {
        let time = ManualTime(wallSeconds: SystemTime().wallSeconds)
        let gate = try ScriptedGate()
        let begun = Signal(0)
        let proxy = try ScriptedOrigin { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nabc")
            begun.update { $0 += 1 }
            gate.wait()
        }
        let store = try StoreRig.store(prefix, endpoint: proxy.url, firstByte: 150, time: time)
        let found = Signal<SharedOriginal??>(nil)
        store.find(original: record.key, atMost: .max, needsBody: true) { original in
            found.update { $0 = .some(original) }
        }
        try begun.wait { $0 == 1 }
        // Again and again: the first bytes may arrive after the first advance.
        try waitFor {
            time.advance(seconds: 60)
            return found.value
        }
        #expect(store.statistics.slow == 1)
        gate.open()
    }

    @Test func `a closed store misses`() throws {
        let store = try StoreRig.store(prefix)
        store.close()
        #expect(try store.original(record.key) == nil)
        store.store(original: record, body: nil, at: SharedPlace())
        #expect(store.statistics.queued == 0)
    }
}
