import TestSupport
import Testing

/// A daemon without a disk cache (`cache.path: off`).
@Suite(.timeLimit(.minutes(1)))
struct MemoryOnlyTests {
    private let picture = TestImages.gradient(width: 40, height: 30)

    private func start(_ extra: String = "") throws -> (DaemonProcess, ScriptedOrigin, TemporaryFolder) {
        let folder = try TemporaryFolder()
        let origin = try ScriptedOrigin { request, connection in
            guard !request.target.hasPrefix("/raw") else {
                return connection.respond("200 OK", ["Cache-Control: max-age=60", "Content-Type: a/b"], text: "raw")
            }
            connection.respond(
                "200 OK",
                ["Cache-Control: max-age=60"],
                body: TestImages.gradient(width: 40, height: 30)
            )
        }
        let yaml = """
            sources:
              photos: { url: "\(origin.url)/", allow-private: true, placeholder: headers }
              texts: { url: "\(origin.url)/raw/", allow-private: true, raw: true }
            cache: { path: off, memory: 16MiB }
            \(extra)

            """
        return (try DaemonProcess(yaml, in: folder), origin, folder)
    }

    private func get(_ daemon: DaemonProcess, _ target: String) throws -> RawHTTPResponse {
        try RawHTTPClient(port: daemon.port, timeoutMilliseconds: 20_000).get(target)
    }

    @Test func `serves images and raw responses from memory, and says in /readyz that the disk is off`() throws {
        let (daemon, origin, folder) = try start()
        #expect(try daemon.waitUntilReady().contains(#""disk":"off""#))
        for target in ["/photos/a.png?w=20&format=png", "/photos/a.png", "/texts/t"] {
            let first = try get(daemon, target)
            #expect(first.status == 200, "\(first.description)")
            let asked = origin.requests
            let again = try get(daemon, target)
            #expect(again.body == first.body && again["Cache-Status"]?.contains("hit") == true, "\(target)")
            #expect(origin.requests == asked)
        }
        #expect(try get(daemon, "/photos/a.png?w=10&format=avif").status == 200)
        let metrics = try RawHTTPClient(port: daemon.admin).get("/metrics").text
        #expect(!metrics.contains("edgeprint_disk_healthy"))
        let stats = try RawHTTPClient(port: daemon.admin).get("/stats").text
        #expect(stats.contains(#""health":"off""#))
        #expect(TemporaryFolder.names(in: folder.path) == ["edgeprint.yaml"])
    }

    @Test func `purges memory, remembers failures and stops without a disk`() throws {
        let (daemon, origin, _) = try start()
        #expect(try get(daemon, "/photos/a.png?w=20").status == 200)
        let admin = try RawHTTPClient(port: daemon.admin)
        let purged = try admin.post("/purge", #"{"source":"photos"}"#)
        #expect(purged.status == 200, "\(purged.text)")
        let asked = origin.requests
        #expect(try get(daemon, "/photos/a.png?w=20")["Cache-Status"]?.contains("fwd=uri-miss") == true)
        #expect(origin.requests == asked + 1)
        daemon.signal(15)
        #expect(daemon.waitForExit() == 0)
    }

    @Test func `counts entries against cache.memory-entries, and reads with as many threads as configured`() throws {
        let folder = try TemporaryFolder()
        let origin = try ScriptedOrigin(ScriptedOrigin.pictures(["a.png": picture]))
        let daemon = try DaemonProcess(
            """
            sources: { photos: { url: "\(origin.url)/", allow-private: true } }
            cache: { path: off, memory: 64MiB, memory-entries: 3, read-threads: 5 }

            """,
            in: folder
        )
        for width in 1...6 { #expect(try get(daemon, "/photos/a.png?w=\(width)").status == 200) }
        let metrics = try RawHTTPClient(port: daemon.admin).get("/metrics").text
        #expect(metrics.contains("edgeprint_cache_entries{tier=\"memory\"} 3\n"), "\(metrics)")
        let tasks = "/proc/\(daemon.identifier)/task"
        let threads = TemporaryFolder.names(in: tasks).compactMap { DaemonProcess.contents(of: "\(tasks)/\($0)/comm") }
        #expect(threads.count { $0.hasPrefix("read-") } == 5, "\(threads)")
    }
}
