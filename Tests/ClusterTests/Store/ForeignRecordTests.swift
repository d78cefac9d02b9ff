import CacheTestSupport
import Cluster
import HTTPCache
import LinuxSystem
import TestSupport
import Testing

/// Records of other nodes that this one cannot use, and leaves to those that can.
@Suite(.timeLimit(.minutes(1)))
struct ForeignRecordTests {
    private let record = CacheFixture.origin(1, body: CacheFixture.bytes(500))

    /// A store that answers every look-up with a record, and the methods of its requests.
    private func origin(_ record: OriginRecord) throws -> (ScriptedOrigin, methods: Signal<[String]>) {
        let object = StoreObject.encode(StoreObject.Meta(record: record, confirmedAt: 5_000, place: SharedPlace()))
        let methods = Signal<[String]>([])
        let origin = try ScriptedOrigin { request, connection in
            methods.update { $0.append(request.method) }
            connection.respond("200 OK", [], body: object)
        }
        return (origin, methods)
    }

    @Test(arguments: [501, 1 << 62, Int.max])
    func `a content over the limit is a miss, and not fetched`(length: Int) throws {
        var record = record
        record.length = length
        let (origin, methods) = try origin(record)
        let store = try StoreRig.store("", endpoint: origin.url)
        #expect(try store.original(record.key, atMost: 500) == nil)
        try store.settle()
        #expect(methods.value == ["GET"] && store.statistics.misses == 1 && store.statistics.damaged == 0)
        #expect(try store.original(record.key, atMost: .max, needsBody: false)?.record.length == length)
    }
    @Test func `a record whose metadata only a later release can read is a miss, and stays`() throws {
        let (origin, methods) = try origin(record)
        let metadata = record.metadata
        let store = try StoreRig.store("", endpoint: origin.url) {
            $0.isReadable = { $0 != .originals || $1 != metadata }
            $0.writers = 1
        }
        #expect(try store.original(record.key) == nil)
        // A node that does not know it does not replace it either, however old it is.
        store.store(original: record, body: nil, at: SharedPlace(sequence: 1, log: "l"))
        try store.settle()
        #expect(methods.value == ["GET", "GET"])
        #expect(store.statistics.misses == 1 && store.statistics.damaged == 0 && store.statistics.writeFailures == 0)
    }
}
