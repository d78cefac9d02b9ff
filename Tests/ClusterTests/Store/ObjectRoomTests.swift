import CacheTestSupport
import Cluster
import HTTPCache
import LinuxSystem
import OriginTransfer
import TestSupport
import Testing

/// The memory and the files of what is read from the shared store.
@Suite(.timeLimit(.minutes(1)))
struct ObjectRoomTests {
    private let folder: TemporaryFolder
    private let ledgers = BodyLedgers(memory: 10_000, disk: 5_000)

    init() throws { folder = try TemporaryFolder() }

    /// A client of a store in which the object `n` has n bytes.
    private func client(_ origin: ScriptedOrigin, folder: String?) throws -> ObjectClient {
        var room = ObjectRoom(ledgers: ledgers, folder: folder)
        room.memoryBody = 1_000
        let bucket = ObjectBucket(name: "pics", prefix: "", endpoint: origin.url)
        return try ObjectClient(bucket, credentials: nil, maximum: 4, room: room, name: "objects")
    }

    private func origin() throws -> ScriptedOrigin {
        try ScriptedOrigin { request, connection in
            let length = request.target.split(separator: "/").last.flatMap { Int($0) } ?? 0
            connection.respond("200 OK", [], body: [UInt8](repeating: 5, count: length))
        }
    }

    private func request(_ verb: ObjectRequest.Verb, _ length: Int, limit: Int = 1 << 20) -> ObjectRequest {
        ObjectRequest(
            verb,
            "\(length)",
            limit: limit,
            patience: ObjectRequest.Patience(firstByte: 20_000, rest: 20_000)
        )
    }

    /// Fetches an object into a file.
    private func body(_ length: Int, _ client: ObjectClient) throws -> TransferBody? {
        try client.perform(request(.getFile, length)).get().body
    }

    /// Waits until what has ended is released: requests end in order.
    private func pass(_ client: ObjectClient) throws { _ = try client.perform(request(.get, 0)).get() }

    @Test
    func `a short content is in memory, a long one in a file of the folder, and both count until they are released`()
        throws
    {
        let (origin, path) = (try origin(), folder.path)
        let client = try client(origin, folder: path)
        defer { client.close() }
        do {
            let short = try #require(try body(800, client))
            #expect(short.length == 800 && ledgers.memory.used == 800 && ledgers.disk.used == 0)
            let long = try #require(try body(3_000, client))
            #expect(long.file.read(count: 3_000) == [UInt8](repeating: 5, count: 3_000))
            #expect(ledgers.memory.used == 800 && ledgers.disk.used == 3_000)
            #expect(try body(0, client)?.length == 0)
            withExtendedLifetime((short, long)) {}
        }
        try pass(client)
        #expect(ledgers.memory.used == 0 && ledgers.disk.used == 0)
    }

    @Test func `without a folder, a long content is in memory`() throws {
        let origin = try origin()
        let client = try client(origin, folder: nil)
        defer { client.close() }
        let long = try #require(try body(3_000, client))
        #expect(long.length == 3_000 && ledgers.memory.used == 3_000 && ledgers.disk.used == 0)
    }

    @Test func `above half of the memory, the folder takes short contents, too`() throws {
        let origin = try origin()
        let client = try client(origin, folder: folder.path)
        defer { client.close() }
        let charge = MemoryCharge(to: ledgers.memory)
        #expect(charge.add(6_000))
        let short = try #require(try body(800, client))
        #expect(short.length == 800 && ledgers.memory.used == 6_000 && ledgers.disk.used == 800)
    }

    @Test func `what has no room is refused, and nothing of it is kept`() throws {
        let origin = try origin()
        let client = try client(origin, folder: folder.path)
        defer { client.close() }
        do {
            let first = try #require(try body(3_000, client))
            guard case .failure(.busy) = client.perform(request(.getFile, 3_000)) else {
                Issue.record("not refused")
                return
            }
            withExtendedLifetime(first) {}
        }
        try pass(client)
        #expect(ledgers.disk.used == 0)
        #expect(try body(3_000, client)?.length == 3_000)
        // In the heap, too.
        guard case .failure(.busy) = client.perform(request(.get, 20_000)) else {
            Issue.record("not refused")
            return
        }
        try pass(client)
        #expect(ledgers.memory.used == 0)
        #expect(try client.perform(request(.get, 9_000)).get().bytes.count == 9_000)
        guard case .failure(.tooLarge) = client.perform(request(.getFile, 900, limit: 800)) else {
            Issue.record("not too large")
            return
        }
    }

    @Test func `an object in the heap counts until its response is released`() throws {
        let origin = try origin()
        let client = try client(origin, folder: nil)
        defer { client.close() }
        do {
            let response = try client.perform(request(.get, 4_000)).get()
            try pass(client)
            #expect(response.bytes.count == 4_000 && ledgers.memory.used == 4_000)
            withExtendedLifetime(response) {}
        }
        try pass(client)
        #expect(ledgers.memory.used == 0)
    }

    @Test(.enabled(if: SeaweedFS.isWanted))
    func `a content without room is skipped, and is no failure of the store`() throws {
        let prefix = try SeaweedFS.prefix()
        let content = CacheFixture.bytes(100_000)
        let record = CacheFixture.origin(1, body: content, responseTime: SystemTime().wallSeconds)
        let writer = try StoreRig.store(prefix)
        writer.store(original: record, body: try CacheFixture.body(content), at: SharedPlace())
        try writer.settle()
        let tight = BodyLedgers(memory: 50_000, disk: 0)
        let store = try StoreRig.store(prefix) { $0.room = ObjectRoom(ledgers: tight) }
        for _ in 0..<8 {
            let found = try #require(try store.original(record.key))
            #expect(found.body == nil)
        }
        #expect(store.statistics.skipped == 8 && store.statistics.readFailures == 0 && store.statistics.damaged == 0)
        #expect(store.isAvailable && tight.memory.used < 50_000)
        tight.memory.setLimit(1 << 20)
        #expect(try store.original(record.key)?.body?.length == 100_000)
    }
}
