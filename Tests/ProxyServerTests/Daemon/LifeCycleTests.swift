import Glibc
import LinuxSystem
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct LifeCycleTests {
    let picture = TestImages.gradient(width: 320, height: 240)

    @Test func `SIGTERM finishes requests in progress, refuses new ones, and exits 0`() async throws {
        let gate = try ScriptedGate()
        let rig = try EndToEndRig { [picture] _, connection in
            gate.wait()
            connection.respond(body: picture)
        }
        let client = try RawHTTPClient(port: rig.daemon.port, timeoutMilliseconds: 20_000)
        try client.send("GET /photos/a.png?w=50&format=png HTTP/1.1\r\nHost: a\r\n\r\n")
        await rig.origin.arrival(of: 1)
        rig.daemon.signal(SIGTERM)
        let admin = try RawHTTPClient(port: rig.daemon.admin)
        try waitWhile(admin.get("/readyz").status == 200)
        // The loops close their listeners one after the other; then no connection is accepted.
        try waitWhile((try? RawHTTPClient(port: rig.daemon.port).get("/")) != nil)
        gate.open()
        let answer = try client.readResponse()
        #expect(answer.status == 200)
        #expect(answer["Connection"] == "close")
        #expect(rig.daemon.waitForExit() == 0)
    }

    @Test func `a worker killed from outside fails no request`() async throws {
        let gate = try ScriptedGate()
        let rig = try EndToEndRig("workers: { count: 1 }") { [picture] _, connection in
            gate.wait()
            connection.respond("200 OK", ["Cache-Control: max-age=60"], body: picture)
        }
        let client = try RawHTTPClient(port: rig.daemon.port, timeoutMilliseconds: 20_000)
        try client.send("GET /photos/a.png?w=50&format=png HTTP/1.1\r\nHost: a\r\n\r\n")
        await rig.origin.arrival(of: 1)
        try rig.waitUntil("edgeprint_workers_ready", is: 1)
        // The idle worker is stopped first, so that it receives the job without finishing it, and is then killed.
        let worker = try #require(Self.children(of: rig.daemon.identifier).first)
        kill(worker, SIGSTOP)
        gate.open()
        try rig.waitUntil("edgeprint_workers_busy", is: 1)
        kill(worker, SIGKILL)
        #expect(try client.readResponse().status == 200)
        #expect(try rig.metric("edgeprint_transform_retries_total") == 1)
        #expect(try rig.metric("edgeprint_worker_restarts_total") == 1)
    }

    @Test func `health and readiness are only on the admin listener`() throws {
        let rig = try EndToEndRig(script: ScriptedOrigin.pictures(["a.png": picture]))
        let admin = try RawHTTPClient(port: rig.daemon.admin)
        #expect(try admin.get("/healthz").status == 200)
        #expect(try rig.daemon.waitUntilReady().hasPrefix("{\"ready\":true,"))
        #expect(try admin.get("/nothing").status == 404)
        #expect(try rig.get("/healthz").status == 404)
        _ = try rig.get("/photos/a.png?w=10")
        _ = try rig.get("/photos/a.png?w=10")
        // An exchange is counted after its last byte, which the client may see first.
        try rig.waitUntil("edgeprint_requests_in_flight", is: 0)
        let metrics = try admin.get("/metrics").text
        #expect(metrics.contains("edgeprint_requests_total{result=\"memory\"} 1\n"))
        #expect(metrics.contains("edgeprint_requests_total{result=\"miss\"} 1\n"))
        #expect(metrics.contains("edgeprint_fetch_duration_seconds_count 1\n"))
        #expect(metrics.contains("edgeprint_encode_duration_seconds_count 1\n"))
    }

    @Test func `a second daemon on the same cache folder is refused with a reason`() throws {
        let rig = try EndToEndRig(script: ScriptedOrigin.pictures(["a.png": picture]))
        let second = #expect(throws: DaemonProcess.Failure.self) {
            try DaemonProcess("cache: { path: \"\(rig.folder.path)/cache\" }\n", in: TemporaryFolder())
        }
        guard case .notStarted(_, let log)? = second else { return }
        #expect(log.contains("in use by another daemon"), "\(log)")
    }

    @Test func `an invalid configuration is refused with key and line`() throws {
        let failure = #expect(throws: DaemonProcess.Failure.self) {
            try DaemonProcess("cache: { memroy: 1MiB }\n", in: TemporaryFolder())
        }
        guard case .notStarted(_, let log)? = failure else { return }
        #expect(log.contains("memroy") && log.contains("memory") && log.contains(":3"), "\(log)")
    }

    private static func children(of parent: pid_t) -> [pid_t] {
        TemporaryFolder.names(in: "/proc").compactMap { pid_t($0) }.filter { identifier in
            guard let text = DaemonProcess.contents(of: "/proc/\(identifier)/stat"),
                let close = text.lastIndex(of: ")")
            else { return false }
            let fields = text[text.index(after: close)...].split(separator: " ")
            return fields.count > 1 && pid_t(fields[1]) == parent
        }
    }
}
