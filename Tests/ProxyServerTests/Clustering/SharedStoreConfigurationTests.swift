import Cluster
import HTTPCache
import HTTPSemantics
import ImagePipeline
import ImagePlan
import LinuxSystem
import OriginTransfer
import TestSupport
import Testing

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct SharedStoreConfigurationTests {
    @Test func `objects with metadata that this release does not know are not read`() throws {
        var configuration = Configuration()
        #expect(SharedStore.Configuration(configuration, room: ObjectRoom()) == nil)
        configuration.cluster.store = "s3://pics/"
        let settings = try #require(SharedStore.Configuration(configuration, room: ObjectRoom()))
        let known = OriginMetadata(header: ImageHeader(format: .png, width: 4, height: 3))
        #expect(settings.isReadable(.originals, known.encoded))
        // Tag 6 is the format of an original; that of a variant, tag 5, is missing.
        var unknown = TaggedFields()
        unknown.put(6, Int64.max)
        for diskClass in DiskClass.allCases { #expect(!settings.isReadable(diskClass, unknown.bytes)) }
    }

    /// A store in a bucket, which logs.
    private func store(_ origin: ScriptedOrigin, _ time: ManualTime, _ log: RecordedLog) throws -> SharedStore {
        var configuration = Configuration()
        configuration.cluster.store = "s3://pics/"
        configuration.cluster.endpoint = origin.url
        // On a busy machine, a node may wait long.
        configuration.cluster.storeBudget = 20_000
        let made = try SharedStore(configuration, .alone, room: ObjectRoom(), time: time, logger: log.logger)
        return try #require(made)
    }

    @Test func `a store that keeps failing is a line with the reason, and its first answer is another`() throws {
        let isBroken = Signal(true)
        let origin = try ScriptedOrigin { _, connection in
            connection.respond(isBroken.value ? "500 Internal Server Error" : "404 Not Found", text: "")
        }
        let (time, log) = (ManualTime(wallSeconds: SystemTime().wallSeconds), RecordedLog())
        let store = try store(origin, time, log)
        defer { store.close() }
        func find() throws {
            let isDone = Signal(false)
            store.find(original: CacheKey(hashing: "a"), atMost: .max, needsBody: false) { _ in
                isDone.update { $0 = true }
            }
            try isDone.wait { $0 }
        }
        for _ in 0..<7 { try find() }
        let failed = "warning: the shared store keeps failing, and is left alone access=reads"
        #expect(log.lines == [failed + " reason=it answers with status 500"])
        isBroken.update { $0 = false }
        time.advance(seconds: 1)
        for _ in 0..<2 { try find() }
        #expect(log.lines.count == 2 && log.lines.last == "notice: the shared store is used again access=reads")
    }

    @Test func `writes that keep failing are lines of their own`() throws {
        let isBroken = Signal(true)
        let origin = try ScriptedOrigin { request, connection in
            _ = connection.readBody(request.field("Content-Length").flatMap { Int($0) } ?? 0)
            let status = request.method == "GET" ? "404 Not Found" : "200 OK"
            connection.respond(isBroken.value ? "507 Insufficient Storage" : status, text: "")
        }
        let (time, log) = (ManualTime(wallSeconds: SystemTime().wallSeconds), RecordedLog())
        let store = try store(origin, time, log)
        defer { store.close() }
        let stored = Signal<[Bool]>([])
        // Each write is tried three times, two at a time; the breaker opens after five failures.
        for number in 0..<3 {
            let freshness = Freshness(responseTime: time.wallSeconds, initialAge: 0, lifetime: 60)
            let record = OriginRecord(
                key: CacheKey(hashing: "\(number)"),
                source: "photos",
                url: "http://a.example/\(number)",
                digest: CacheKey(hashing: [UInt8]()),
                length: 0,
                fields: FieldLines(),
                policy: ResponsePolicy(storedWith: FieldLines(), freshness: freshness),
                advertisedLifetime: 60,
                metadata: OriginMetadata(header: ImageHeader(format: .png, width: 4, height: 3)).encoded
            )
            store.store(original: record, body: nil, at: SharedPlace()) { isStored in
                stored.update { $0.append(isStored) }
            }
        }
        try waitWhile(log.lines.isEmpty)
        let failed = "warning: the shared store keeps failing, and is left alone access=writes"
        #expect(log.lines == [failed + " reason=it answers with status 507"])
        isBroken.update { $0 = false }
        time.advance(seconds: 1)
        try stored.wait { $0.count == 3 }
        #expect(stored.value.contains(true))
        #expect(log.lines.count == 2 && log.lines.last == "notice: the shared store is used again access=writes")
    }
}
