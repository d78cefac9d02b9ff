import CacheTestSupport
import Cluster
import HTTPCache
import LinuxSystem
import OriginTransfer
import TestSupport
import Testing

/// Conditional writes, and stores without them.
@Suite(.timeLimit(.minutes(1)))
struct StoreConditionTests {
    private let body = CacheFixture.bytes(50_000, seed: 6)

    private var record: OriginRecord { CacheFixture.origin(1, body: body, responseTime: SystemTime().wallSeconds) }

    private static func statuses(
        _ engine: StoreEngine,
        of conditions: [ObjectRequest.Condition?]
    ) throws -> [Int] {
        let client = try ObjectClient(
            ObjectBucket(name: engine.bucket, prefix: SeaweedFS.prefix(), endpoint: engine.endpoint),
            credentials: .accessKey(id: engine.accessKey, secret: Secret(engine.secretKey), session: nil),
            maximum: 1,
            name: "conditions"
        )
        defer { client.close() }
        let patience = ObjectRequest.Patience(firstByte: 20_000, rest: 20_000)
        return try conditions.map { condition in
            let request = ObjectRequest(.put(.bytes([1])), "x", if: condition, patience: patience)
            return try client.perform(request).get().status
        }
    }

    @Test(.enabled(if: SeaweedFS.isWanted, "SeaweedFS is not installed"))
    func `SeaweedFS writes on conditions`() throws {
        let statuses = try Self.statuses(.seaweedFS, of: [.isAbsent, .isAbsent, .matches("\"other\""), nil])
        #expect(statuses == [200, 412, 412, 200])
    }

    @Test(
        .enabled(if: OpenStackSwift.isPossible, "no file system here has extended attributes, or Python is missing"),
        .enabled(if: OpenStackSwift.isInstalled, "OpenStack Swift is not installed")
    )
    func `OpenStack Swift refuses all conditional writes`() throws {
        let statuses = try Self.statuses(.swift, of: [.isAbsent, .isAbsent, .matches("\"other\""), nil])
        #expect(statuses == [501, 501, 501, 200])
    }

    @Test(arguments: [["If-None-Match", "If-Match"], ["If-Match"], ["If-None-Match"]])
    func `a condition that the store does not implement is refused once, and records are still compared`(
        refused: [String]
    ) throws {
        let model = try StoreModel(refusing: refused)
        let store = try StoreRig.store("", endpoint: model.url) { $0.writers = 1 }
        func write(_ tag: String, at sequence: Int64) throws {
            var record = record
            record.tags = [tag]
            let place = SharedPlace(sequence: sequence, log: "l\(sequence)")
            store.store(original: record, body: try CacheFixture.body(body), at: place)
            try store.settle()
        }
        for (tag, sequence, kept) in [("a", 5, "a"), ("b", 7, "b"), ("c", 6, "b"), ("d", 8, "d")] {
            try write(tag, at: Int64(sequence))
            #expect(try store.original(record.key)?.record.tags == [kept])
        }
        #expect(try store.original(record.key)?.body?.length == body.count)
        #expect(store.statistics.writes == 3 && store.statistics.writeFailures == 0)
        #expect(model.refusals == refused.count)
    }

    @Test func `a store that does not implement writing at all is given up`() throws {
        let origin = try ScriptedOrigin { request, connection in
            _ = StoreModel.content(of: request, connection)
            connection.respond("501 Not Implemented")
        }
        let store = try StoreRig.store("", endpoint: origin.url) { $0.writers = 1 }
        store.store(original: record, body: try CacheFixture.body(body), at: SharedPlace())
        try store.settle()
        #expect(store.statistics.writes == 0 && store.statistics.writeFailures == 1)
        // Three attempts, and one without the condition.
        #expect(origin.requests == 4)
    }
}

/// A store in memory that does not implement some conditions of writes.
private final class StoreModel: Sendable {
    private struct State: Sendable {
        var objects: [String: [UInt8]] = [:]
        var refusals = 0
    }

    private final class Content: Sendable {
        let state = Lock(State())
    }

    private let content: Content
    private let origin: ScriptedOrigin

    init(refusing refused: [String]) throws {
        let stored = Content()
        content = stored
        origin = try ScriptedOrigin { request, connection in
            let content = Self.content(of: request, connection)
            let (status, body) = stored.state.withLock { state -> (String, [UInt8]) in
                let stored = state.objects[request.target]
                guard request.method == "PUT" else {
                    return stored.map { ("200 OK", $0) } ?? ("404 Not Found", [])
                }
                if refused.contains(where: { request.field($0) != nil }) {
                    state.refusals += 1
                    return ("501 Not Implemented", [])
                }
                if let tag = request.field("If-Match"), tag != stored.map(Self.tag) {
                    return ("412 Precondition Failed", [])
                }
                if request.field("If-None-Match") != nil, stored != nil { return ("412 Precondition Failed", []) }
                state.objects[request.target] = content
                return ("200 OK", [])
            }
            connection.respond(status, body.isEmpty ? [] : ["ETag: \(Self.tag(body))"], body: body)
        }
    }

    var url: String { origin.url }
    var refusals: Int { content.state.withLock { $0.refusals } }

    /// Reads the content of a request, which libcurl sends only once it may.
    static func content(of request: ScriptedRequest, _ connection: ScriptedConnection) -> [UInt8] {
        if request.field("Expect") != nil { connection.send("HTTP/1.1 100 Continue\r\n\r\n") }
        return connection.readBody(Int(request.field("Content-Length") ?? "") ?? 0) ?? []
    }

    private static func tag(_ bytes: [UInt8]) -> String { "\"\(CacheKey(hashing: bytes))\"" }
}
