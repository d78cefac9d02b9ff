import Glibc
import TestSupport
import Testing

@testable import ProxyServer

/// The replacement of a node's process (`SIGUSR2`).
@Suite(.timeLimit(.minutes(1)))
struct ClusterSuccessionTests {
    @Test func `the new process follows the log, with what it has stored, while the old one drains`() async throws {
        let gate = try ScriptedGate()
        let log = try RedisServer()
        let folder = try TemporaryFolder()
        let origin = try ScriptedOrigin { request, connection in
            if request.target.hasPrefix("/slow") { gate.wait() }
            connection.respond("200 OK", ["Cache-Control: max-age=3600"], body: ClusterRig.image(1))
        }
        let daemon = try DaemonProcess(
            """
            sources: { photos: { url: "\(origin.url)/", allow-private: true } }
            cache: { path: "\(folder.path)/cache" }
            purge: { allow: [127.0.0.1] }
            cluster: { log: "\(log.location)" }

            """,
            in: folder
        )
        let (port, admin) = (daemon.port, daemon.admin)
        func isInTouch() throws -> Bool {
            try RawHTTPClient(port: admin).get("/metrics").text.contains("\nedgeprint_cluster_in_touch 1\n")
        }
        try waitWhile(!isInTouch())
        for name in ["a", "b"] { #expect(try RawHTTPClient(port: port).get("/photos/\(name).png").status == 200) }
        let held = try RawHTTPClient(port: port, timeoutMilliseconds: 60_000)
        try held.send("GET /photos/slow.png?w=2 HTTP/1.1\r\nHost: a\r\n\r\n")
        await origin.arrival(of: 3)

        daemon.signal(SIGUSR2)
        try daemon.waitForLog("started a successor")
        let successor = try SuccessorTests.Running(daemon.logText)
        try daemon.waitForLog("the disk cache is open")
        try waitWhile(!isInTouch())
        // It is in the era of the old process, so that what is stored needs no validation.
        #expect(try RawHTTPClient(port: port).get("/photos/a.png")["Cache-Status"]?.contains("hit") == true)
        #expect(origin.requests == 3)
        let purge = try RawHTTPClient(port: port).request("PURGE", "/photos/a.png?wait=all", [])
        #expect(purge.status == 200)
        #expect(try RawHTTPClient(port: port).get("/photos/a.png").status == 200)
        #expect(origin.requests == 4)
        // The old one still waits for its last request.
        #expect(!daemon.logText.contains("the predecessor has ended"))
        gate.open()
        #expect(try held.readResponse().status == 200)
        #expect(daemon.waitForExit() == 0)
        kill(successor.process, SIGTERM)
        try waitWhile(!successor.hasEnded)
    }
}
