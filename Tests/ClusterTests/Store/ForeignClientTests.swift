import CacheTestSupport
import Cluster
import Foundation
import HTTPCache
import LinuxSystem
import OriginTransfer
import TestSupport
import Testing

/// The shared store's bucket in the hands of a program that knows nothing of it: boto3.
@Suite(.timeLimit(.minutes(2)), .enabled(if: StoreEngine.isForeignWanted, "boto3 is not installed"))
struct ForeignClientTests {
    /// What `foreign.py list` prints for an object.
    private struct Object: Decodable {
        var key: String
        var length: Int
        var digest: String
        var type: String
        var metadata: [String: String]
        /// The first bytes.
        var start: String
    }

    private let body = CacheFixture.bytes(100_000, seed: 5)
    private let plan = CacheKey(hashing: "plan")
    private let bytes = CacheFixture.bytes(5_000)
    private let prefix: String

    init() throws { prefix = try SeaweedFS.prefix() }

    private var record: OriginRecord { CacheFixture.origin(1, body: body, responseTime: SystemTime().wallSeconds) }

    /// Writes an original and a result.
    private func write(in store: SharedStore) throws {
        let record = record
        store.store(original: record, body: try CacheFixture.body(body), at: SharedPlace())
        let variant = CacheFixture.variant(320, of: record, bytes: bytes)
        let subject = PurgeSubject(variant, of: record)
        store.store(result: variant, bytes: bytes, plan: plan, for: subject, at: SharedPlace(), milliseconds: 60)
        try store.settle()
    }

    private func list(_ prefix: String, in engine: StoreEngine) throws -> [Object] {
        try JSONDecoder().decode([Object].self, from: Data(engine.foreign("list", prefix)))
    }

    @Test(arguments: StoreEngine.wanted)
    func `another client finds what is documented: keys, contents, types and no metadata`(engine: StoreEngine) throws {
        let store = try StoreRig.store(prefix, in: engine)
        try write(in: store)
        let objects = try list(prefix, in: engine)
        try #require(objects.map { $0.key.prefix(2) } == ["b/", "m/", "r/"])
        #expect(objects.allSatisfy { $0.type == "application/octet-stream" && $0.metadata.isEmpty })
        #expect(objects[0].key == "b/\(objects[0].digest)" && objects[0].length == body.count)
        #expect(objects[1].key == "m/\(record.key)" && objects[1].start == "edgeprint-shared/1")
        #expect(objects[2].key.hasPrefix("r/\(objects[0].digest)/") && objects[2].start == "edgeprint-shared/1")
        #expect(objects[2].length > bytes.count)
    }

    @Test(arguments: StoreEngine.wanted)
    func `what another client cuts off, replaces or deletes is a miss, and is written again`(engine: StoreEngine) throws
    {
        let store = try StoreRig.store(prefix, in: engine)
        let record = record
        try write(in: store)
        let key = prefix + StoreObject.bodyKey(record.digest)
        _ = try engine.foreign("cut", key, "60000")
        let cut = try #require(try store.original(record.key))
        #expect(cut.body == nil && store.statistics.damaged == 1)
        try store.settle()
        try write(in: store)
        #expect(try store.original(record.key)?.body?.length == body.count)

        let folder = try TemporaryFolder()
        var replaced = body
        replaced[0] ^= 1
        try Data(replaced).write(to: URL(filePath: folder.path + "/file"))
        _ = try engine.foreign("upload", key, folder.path + "/file")
        let found = try #require(try store.original(record.key))
        #expect(found.body == nil && store.statistics.damaged == 2)
        try store.settle()
        // An object that another client has put in the place of one that is missing is the same one.
        try Data(body).write(to: URL(filePath: folder.path + "/file"))
        _ = try engine.foreign("upload", key, folder.path + "/file")
        #expect(try store.original(record.key)?.body?.length == body.count)

        _ = try engine.foreign("delete", prefix + StoreObject.metaKey(record.key))
        #expect(try store.original(record.key) == nil && store.result(plan, of: record)?.bytes == bytes)
        try write(in: store)
        #expect(try store.original(record.key)?.body?.length == body.count)
        #expect(store.statistics.damaged == 2)
    }

    @Test(arguments: StoreEngine.wanted)
    func `objects that another client has copied to another prefix are used there`(engine: StoreEngine) throws {
        try write(in: StoreRig.store(prefix, in: engine))
        let moved = try SeaweedFS.prefix()
        _ = try engine.foreign("copy", prefix, moved)
        let store = try StoreRig.store(moved, in: engine)
        #expect(try store.original(record.key)?.body.map { try CacheFixture.readAll($0.file) } == body)
        #expect(try store.result(plan, of: record)?.bytes == bytes)
        #expect(store.statistics.damaged == 0)
    }

    @Test(.enabled(if: SeaweedFS.isWanted, "SeaweedFS is not installed"))
    func `the documented lifecycle rule is accepted, and objects are written and read under it`() throws {
        let page = try String(
            contentsOfFile: Checkout.path("Sources/ProxyServer/ProxyServer.docc/Cluster.md"),
            encoding: .utf8
        )
        let block = try #require(page.split(separator: "```json\n").first { $0.hasPrefix("{\"Rules\"") })
        let rule = try #require(block.split(separator: "```").first).trimmingCharacters(in: .whitespacesAndNewlines)
        let answer = try StoreEngine.seaweedFS.foreign("lifecycle", rule)
        let set = try #require(try JSONSerialization.jsonObject(with: Data(answer)) as? [[String: Any]])
        #expect((set.first?["Expiration"] as? [String: Any])?["Days"] as? Int == 30)
        let store = try StoreRig.store("pictures/" + prefix)
        try write(in: store)
        #expect(try store.original(record.key)?.body?.length == body.count)
    }
}
