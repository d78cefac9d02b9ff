import CacheTestSupport
import Cluster
import HTTPCache
import HTTPSemantics
import LinuxSystem
import OriginTransfer
import TestSupport
import Testing

/// A bucket of SeaweedFS and of OpenStack Swift as the tier that several nodes share.
@Suite(.timeLimit(.minutes(2)), .enabled(if: !StoreEngine.wanted.isEmpty))
struct SharedStoreTests {
    private let body = CacheFixture.bytes(100_000, seed: 3)
    private let prefix: String

    init() throws { prefix = try SeaweedFS.prefix() }

    /// A record that was validated a number of seconds ago by a clock.
    private func record(_ number: Int = 1, body: [UInt8]? = nil, ago: Int64 = 0, _ time: any TimeSource = SystemTime())
        -> OriginRecord
    {
        CacheFixture.origin(number, body: body ?? self.body, responseTime: time.wallSeconds - ago)
    }

    private func write(_ record: OriginRecord, in store: SharedStore, at place: SharedPlace = SharedPlace()) throws {
        store.store(original: record, body: try CacheFixture.body(body), at: place)
        try store.settle()
    }

    @Test(arguments: StoreEngine.wanted)
    func `what one node has written, another one reads`(engine: StoreEngine) throws {
        let (one, other) = try (StoreRig.store(prefix, in: engine), StoreRig.store(prefix, in: engine))
        let record = record()
        #expect(try other.original(record.key) == nil)
        try write(record, in: one)
        let found = try #require(try other.original(record.key))
        #expect(found.record.digest == record.digest && found.record.fields == record.fields && !found.needsValidation)
        #expect(try found.body.map { try CacheFixture.readAll($0.file) } == body)
        #expect(try other.original(record.key, needsBody: false)?.body == nil)
        #expect(one.statistics.writes == 1 && one.statistics.queuedBytes == 0)
        #expect(other.statistics.hits == 3 && other.statistics.misses == 1 && other.statistics.reads == 4)
    }

    @Test(arguments: StoreEngine.wanted)
    func `the writer of an original is told when another node can read it`(engine: StoreEngine) throws {
        let (one, other) = try (StoreRig.store(prefix, in: engine), StoreRig.store(prefix, in: engine))
        let record = record()
        let told = Signal<[Bool]>([])
        for count in 1...2 {
            one.store(original: record, body: try CacheFixture.body(body), at: SharedPlace()) { isStored in
                told.update { $0.append(isStored) }
            }
            try told.wait { $0.count == count }
            #expect(try other.original(record.key) != nil)
        }
        #expect(told.value == [true, true])
    }

    @Test(arguments: StoreEngine.wanted)
    func `a result is found by the original's content, the plan and the version of the encoders`(engine: StoreEngine)
        throws
    {
        let (one, other) = try (StoreRig.store(prefix, in: engine), StoreRig.store(prefix, in: engine))
        let upgraded = try StoreRig.store(prefix, in: engine, change: { $0.encoders = "2" })
        let plan = CacheKey(hashing: "plan")
        let bytes = CacheFixture.bytes(5_000)
        let variant = CacheFixture.variant(320, of: record(), bytes: bytes)
        let subject = PurgeSubject(variant, of: record())
        one.store(result: variant, bytes: bytes, plan: plan, for: subject, at: SharedPlace(), milliseconds: 60)
        try one.settle()
        #expect(try other.result(plan, of: record())?.bytes == bytes)
        #expect(try other.result(CacheKey(hashing: "other"), of: record()) == nil)
        #expect(try other.result(plan, of: record(body: [1])) == nil)
        #expect(try upgraded.result(plan, of: record()) == nil)
    }

    @Test(arguments: StoreEngine.wanted)
    func `a result that took less time than the limit is not written`(engine: StoreEngine) throws {
        let store = try StoreRig.store(prefix, in: engine, change: { $0.results = 50 })
        let variant = CacheFixture.variant(320, of: record(), bytes: [1])
        for milliseconds in [49, 50] {
            store.store(
                result: variant,
                bytes: [1],
                plan: CacheKey(hashing: "\(milliseconds)"),
                for: PurgeSubject(record()),
                at: SharedPlace(),
                milliseconds: milliseconds
            )
        }
        try store.settle()
        #expect(try store.result(CacheKey(hashing: "49"), of: record()) == nil)
        #expect(try store.result(CacheKey(hashing: "50"), of: record()) != nil)
    }

    @Test(arguments: StoreEngine.wanted)
    func `the age of an original is right, although the nodes' clocks are hours apart`(engine: StoreEngine) throws {
        let early = ManualTime(wallSeconds: 1_700_000_000)
        let late = ManualTime(wallSeconds: 1_700_007_200)
        let (one, other) = try (
            StoreRig.store(prefix, in: engine, time: early), StoreRig.store(prefix, in: engine, time: late)
        )
        // Clocks of tests stand still, the store's does not.
        try write(record(ago: 40, early), in: one)
        let found = try #require(try other.original(record().key))
        let ago = late.wallSeconds - found.record.freshness.responseTime
        #expect((40...100).contains(ago), "\(ago)")
    }

    @Test(arguments: StoreEngine.wanted)
    func `an object that a purge selects is not used, and one of unknown state needs validation`(engine: StoreEngine)
        throws
    {
        let purges = Lock<[Int64: SharedVerdict]>([:])
        let one = try StoreRig.store(prefix, in: engine)
        let other = try StoreRig.store(
            prefix,
            in: engine,
            verdict: { _, place in purges.withLock { $0[place.sequence] } ?? .usable }
        )
        let place = SharedPlace(sequence: 5, log: "m")
        try write(record(), in: one, at: place)
        let plan = CacheKey(hashing: "plan")
        let variant = CacheFixture.variant(320, of: record(), bytes: [1])
        one.store(result: variant, bytes: [1], plan: plan, for: PurgeSubject(record()), at: place, milliseconds: 1)
        try one.settle()
        #expect(try other.original(record().key)?.needsValidation == false)
        purges.withLock { $0[5] = .stale }
        #expect(try other.original(record().key)?.needsValidation == true)
        // What was made of its content is still right.
        #expect(try other.result(plan, of: record()) != nil)
        purges.withLock { $0[5] = .purged }
        #expect(try other.original(record().key) == nil)
        #expect(try other.result(plan, of: record()) == nil)
        #expect(other.statistics.purged == 2)
        // What is written after the purge is used again.
        let later = SharedPlace(sequence: 6, log: "n")
        one.store(result: variant, bytes: [1], plan: plan, for: PurgeSubject(record()), at: later, milliseconds: 1)
        try write(record(), in: one, at: later)
        #expect(try other.original(record().key) != nil && other.result(plan, of: record()) != nil)
    }

    @Test(arguments: StoreEngine.wanted)
    func `a record does not replace one that was written at a later place`(engine: StoreEngine) throws {
        let (one, other) = try (StoreRig.store(prefix, in: engine), StoreRig.store(prefix, in: engine))
        var late = record()
        late.tags = ["late"]
        try write(late, in: one, at: SharedPlace(sequence: 9, log: "m"))
        var early = record()
        early.tags = ["early"]
        try write(early, in: other, at: SharedPlace(sequence: 8, log: "l"))
        #expect(try other.original(late.key)?.record.tags == ["late"])
        #expect(other.statistics.writes == 0 && other.statistics.writeFailures == 0)
        early.tags = ["later"]
        try write(early, in: other, at: SharedPlace(sequence: 10, log: "n"))
        #expect(try one.original(late.key)?.record.tags == ["later"])
    }

    @Test(arguments: StoreEngine.wanted)
    func `a validation updates the record without the content, and a removal ends its use`(engine: StoreEngine) throws {
        let store = try StoreRig.store(prefix, in: engine)
        try write(record(ago: 50), in: store)
        var renewed = record()
        renewed.tags = ["renewed"]
        store.store(original: renewed, body: nil, at: SharedPlace())
        try store.settle()
        let found = try #require(try store.original(renewed.key))
        #expect(found.record.tags == ["renewed"] && found.body?.length == body.count)
        store.remove(original: renewed.key)
        try store.settle()
        #expect(try store.original(renewed.key) == nil)
    }

    @Test(arguments: StoreEngine.wanted)
    func `damaged objects are misses, and are removed so that they can be written again`(engine: StoreEngine) throws {
        let store = try StoreRig.store(prefix, in: engine)
        let record = record()
        try write(record, in: store)
        let key = StoreObject.bodyKey(record.digest)
        var spoiled = body
        spoiled[50_000] ^= 1
        for content in [spoiled, Array(body.dropLast()), body + [0], []] {
            try engine.put(prefix + key, content)
            let found = try #require(try store.original(record.key))
            #expect(found.body == nil, "\(content.count)")
            try store.settle()
            #expect(try engine.status(of: prefix + key) == "404")
        }
        try write(record, in: store)
        #expect(try store.original(record.key)?.body != nil)
        try engine.put(prefix + StoreObject.metaKey(record.key), CacheFixture.bytes(500))
        #expect(try store.original(record.key) == nil)
        #expect(store.statistics.damaged == 5)
        try write(record, in: store)
        #expect(try store.original(record.key) != nil)
    }

    @Test(arguments: StoreEngine.wanted)
    func `a result that is too long for one node is a miss there, and remains for the others`(engine: StoreEngine)
        throws
    {
        let (one, other) = try (
            StoreRig.store(prefix, in: engine), StoreRig.store(prefix, in: engine) { $0.largestResult = 4_096 }
        )
        let plan = CacheKey(hashing: "plan")
        let bytes = [UInt8](repeating: 7, count: 10_000)
        let variant = CacheFixture.variant(320, of: record(), bytes: bytes)
        one.store(
            result: variant,
            bytes: bytes,
            plan: plan,
            for: PurgeSubject(record()),
            at: SharedPlace(),
            milliseconds: 1
        )
        try one.settle()
        #expect(try other.result(plan, of: record()) == nil)
        try other.settle()
        #expect(other.statistics.damaged == 0 && other.statistics.misses == 1)
        #expect(try one.result(plan, of: record())?.bytes == bytes)
    }

    @Test(arguments: StoreEngine.wanted)
    func `a result is read, however little may wait to be written`(engine: StoreEngine) throws {
        let (one, other) = try (
            StoreRig.store(prefix, in: engine), StoreRig.store(prefix, in: engine) { $0.queue = 4_096 }
        )
        let plan = CacheKey(hashing: "plan")
        let bytes = [UInt8](repeating: 7, count: 10_000)
        let variant = CacheFixture.variant(320, of: record(), bytes: bytes)
        let subject = PurgeSubject(record())
        one.store(result: variant, bytes: bytes, plan: plan, for: subject, at: SharedPlace(), milliseconds: 1)
        try one.settle()
        #expect(try other.result(plan, of: record())?.bytes == bytes)
    }

    @Test(arguments: StoreEngine.wanted)
    func `writes to a missing bucket fail, and are not taken for done`(engine: StoreEngine) throws {
        let store = try StoreRig.store(prefix, in: engine) { $0.bucket.name = "missing-store" }
        try write(record(), in: store)
        #expect(store.statistics.writes == 0 && store.statistics.writeFailures == 1)
    }

    @Test(arguments: StoreEngine.wanted)
    func `wrong keys are misses and failures, which suspend the store`(engine: StoreEngine) throws {
        let store = try StoreRig.store(prefix, in: engine, secret: "wrong")
        for _ in 0..<5 { #expect(try store.original(record().key) == nil) }
        #expect(store.statistics.readFailures == 5 && store.statistics.isReadingSuspended && !store.isAvailable)
        #expect(try store.original(record().key) == nil)
        #expect(store.statistics.skipped == 1)
    }
}
