import HTTPSemantics
import HostileTestSupport
import TestSupport
import Testing

@testable import ProxyServer

/// Pictures that are designed to harm decoders, requested of the real daemon with its real workers.
///
/// Decoders may crash, since they run in workers. Nothing else may change: each request is answered in time, other clients get what
/// they would get without, and the daemon is afterwards as it was before. `EDGEPRINT_HOSTILE_COUNT` sets the files per kind.
@Suite(.timeLimit(.minutes(hostileCount > 60 ? 60 : 15)))
struct HostilePictureTests {
    private static let workers = 3
    private static let picture = TestImages.gradient(width: 64, height: 48)
    /// The sum of `total` and `transform`, after which the daemon gives up, and a second.
    private static let limit = 2000 + 500 + 1000

    private let shelf = HostileShelf()
    private let folder: EndToEndRig
    /// Serves the same files as sources with other settings.
    private let origin: ScriptedOrigin

    init() throws {
        let shelf = shelf
        let origin = try ScriptedOrigin { shelf.script($0, $1) }
        self.origin = origin
        folder = try EndToEndRig(
            """
            timeouts: { first-byte: 2s, total: 2s, transform: 500ms }
            workers: { count: \(Self.workers) }
            limits: { source-bytes: 16MiB, memory-idle: 0s }
            formats: { pdf: on }
            log: { access: off }
            """,
            sources: """

                  clean: { url: "\(origin.url)/", allow-private: true, originals: clean }
                  calm: { url: "\(origin.url)/", allow-private: true, cache: none, timeouts: { total: 10s, transform: 10s } }
                """,
            script: { shelf.script($0, $1) }
        )
        shelf.put("calm.png", Self.picture)
        shelf.use(HostileCorpus(try Self.seeds(folder)))
    }

    /// Valid images, encoded by the workers where they can.
    private static func seeds(_ rig: EndToEndRig) throws -> HostileCorpus.Seeds {
        func encoded(_ query: String) throws -> [UInt8] {
            let response = try rig.get("/calm/calm.png?\(query)")
            try #require(response.status == 200, "\(query): \(response.text)")
            return response.body
        }
        return HostileCorpus.Seeds(
            jpeg: try encoded("format=jpeg&progressive=1"),
            png: try encoded("format=png&blur=1"),
            gif: try encoded("format=gif"),
            webp: try encoded("format=webp"),
            avif: try encoded("format=avif"),
            heic: try SampleFiles.bytes("gradient.heic"),
            jxl: try SampleFiles.bytes("gradient-16bit.jxl"),
            jp2: try SampleFiles.bytes("gradient-8bit.jp2"),
            tiff: try encoded("format=tiff")
        )
    }

    @Test func `hostile pictures harm neither the daemon nor other clients`() throws {
        let calm = "/calm/calm.png?w=20&format=png"
        let body = try folder.get(calm).body
        try folder.waitUntil("edgeprint_workers_ready", is: Double(Self.workers))
        let run = HostileRun(shelf, port: folder.daemon.port, clients: 2, count: hostileCount, milliseconds: Self.limit)
        let record = try run.run(calm: (calm, body))
        print(record.table)
        for answer in record.answers where answer.crashedDecoder { print("crashed by \(answer.target)") }

        #expect(record.answers.count == HostileKind.allCases.count * hostileCount * 3)
        let wrong = record.answers.filter {
            ![200, 413, 415, 422, 503, 504].contains($0.status) || $0.text == "an empty body"
        }
        #expect(
            wrong.isEmpty,
            "\(wrong.prefix(20).map { "\($0.target): \($0.status ?? 0) \($0.text)" }.joined(separator: "\n"))"
        )
        // While killed workers are replaced, a busy machine has no worker for some.
        #expect(record.answers.count { $0.status == 503 } <= record.answers.count / 100)
        #expect(record.disturbances.isEmpty && record.calm > 10, "\(record.disturbances.prefix(5))")
        try expectUnstored(record)
        try expectUnharmed(calm, body)
    }

    /// The process, its workers and its descriptors are as before.
    private func expectUnharmed(_ calm: String, _ body: [UInt8]) throws {
        #expect(try folder.admin("GET", "/healthz").status == 200)
        try folder.waitUntil("edgeprint_workers_ready", is: Double(Self.workers))
        #expect(try folder.metric("edgeprint_workers") == Double(Self.workers))
        #expect(try folder.get(calm).body == body)
        // Variants on disk stay open for the next request until they are purged.
        #expect(try folder.post("/purge", #"{"all":true}"#).status == 200)
        let fresh = try EndToEndRig(
            "workers: { count: \(Self.workers) }\nlimits: { memory-idle: 0s }",
            script: { shelf.script($0, $1) }
        )
        try fresh.waitUntil("edgeprint_workers_ready", is: Double(Self.workers))
        // A new daemon has no connections to origins; at most six stay open to each of two.
        let most = fresh.daemon.descriptors + 12
        try waitWhile(folder.daemon.descriptors > most)
    }

    /// No failed request has left anything but the original in the caches.
    private func expectUnstored(_ record: HostileRun.Record) throws {
        let failed = record.answers.filter { $0.status != 200 }.map(\.target)
        #expect(!failed.isEmpty)
        var stored: [String] = []
        let client = try RawHTTPClient(port: folder.daemon.admin, timeoutMilliseconds: 20_000)
        for target in failed {
            let path = PercentEncoding.encode(target.utf8, except: PercentEncoding.isUnreserved)
            let answer = try client.get("/has?path=\(path)")
            let value = try #require(JSONValue(parsing: answer.text), "\(answer.text)")
            if value["cached"] != .bool(false) { stored.append("\(target): \(answer.text)") }
        }
        #expect(stored.isEmpty, "\(stored.prefix(5))")
    }
}

/// The files of each kind.
private let hostileCount = TestEnvironment.value("EDGEPRINT_HOSTILE_COUNT").flatMap { Int($0) } ?? 60
