import Glibc
import LinuxSystem
import TestSupport
import Testing

@testable import ProxyServer

/// What a new process does before its predecessor has released the cache folder.
@Suite(.timeLimit(.minutes(1)))
struct ClusterHandoverTests {
    @Test func `purges from before the hand-over are answered, and leave no failure behind`() throws {
        let isThere = Lock(false)
        let log = try RedisServer()
        let cache = try TemporaryFolder()
        let origin = try ScriptedOrigin { request, connection in
            guard request.target.hasPrefix("/new"), !isThere.withLock({ $0 }) else {
                return connection.respond("200 OK", ["Cache-Control: max-age=3600"], body: ClusterRig.image(1))
            }
            connection.respond("404 Not Found", [], text: "not yet")
        }
        let yaml = """
            sources: { photos: { url: "\(origin.url)/", allow-private: true } }
            cache: { path: "\(cache.path)/cache" }
            purge: { allow: [127.0.0.1] }
            cluster: { log: "\(log.location)" }

            """
        let folders = [try TemporaryFolder(), try TemporaryFolder()]
        let old = try DaemonProcess(yaml, in: folders[0])
        func metric(_ name: String, of daemon: DaemonProcess) throws -> String? {
            try RawHTTPClient(port: daemon.admin).get("/metrics").text.split(separator: "\n")
                .first { $0.hasPrefix(name + " ") }.map { String($0.dropFirst(name.count + 1)) }
        }
        try waitWhile(metric("edgeprint_cluster_in_touch", of: old) != "1")
        // It tells its parent that it serves, which is this process, and takes the folder as soon as that is free.
        let before = signal(SIGUSR1, SIG_IGN)
        defer { signal(SIGUSR1, before) }
        let new = try DaemonProcess(yaml, in: folders[1], environment: ["LISTEN_PREDECESSOR": "\(getpid())"])
        try new.waitForLog("the disk cache opens when the predecessor has released it")
        func get(_ path: String) throws -> Int { try RawHTTPClient(port: new.port).get(path).status }
        #expect(try get("/photos/new.png") == 404)
        isThere.withLock { $0 = true }
        #expect(try RawHTTPClient(port: old.port).request("PURGE", "/photos/new.png", []).status == 200)
        let client = try RawHTTPClient(port: new.port, timeoutMilliseconds: 20_000)
        let added = try metric("edgeprint_cluster_log_applied", of: old)
        try client.send("PURGE /photos/other.png HTTP/1.1\r\nHost: a\r\n\r\n")
        try waitWhile(metric("edgeprint_cluster_log_applied", of: old) == added)
        old.signal(SIGTERM)
        #expect(old.waitForExit() == 0)
        // The old process has applied both, so that the new one applies neither.
        #expect(try client.readResponse().status == 200)
        try waitWhile(metric("edgeprint_cluster_in_touch", of: new) != "1")
        #expect(try get("/photos/new.png") == 200)
    }
}
