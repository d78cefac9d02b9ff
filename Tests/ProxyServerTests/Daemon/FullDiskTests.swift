import TestSupport
import Testing

/// The daemon on a tmpfs that fills up, or that is covered by a read-only mount.
@Suite(.timeLimit(.minutes(1)), .enabled(if: SmallMount.isPossible, "mounting a tmpfs needs root"))
struct FullDiskTests {
    private let mount: SmallMount
    private let folder: TemporaryFolder
    private let origin: ScriptedOrigin
    private let daemon: DaemonProcess

    /// An image of about 80 kB for each path, whose height is the path's number.
    private static func picture(_ number: Int) -> [UInt8] {
        TestImages.gradient(width: 160, height: 120 + number)
    }

    init() throws {
        mount = try SmallMount(bytes: 2 << 20)
        folder = try TemporaryFolder()
        origin = try ScriptedOrigin { request, connection in
            let number = Int(request.target.dropFirst()) ?? 0
            connection.respond("200 OK", ["Cache-Control: max-age=3600"], body: Self.picture(number))
        }
        daemon = try DaemonProcess(
            """
            sources:
              photos: { url: "\(origin.url)/", allow-private: true }
            cache: { path: "\(mount.path)/cache", memory: 0, min-free: 0 }

            """,
            in: folder
        )
    }

    private func get(_ target: String) throws -> RawHTTPResponse {
        try RawHTTPClient(port: daemon.port, timeoutMilliseconds: 20_000).get(target)
    }

    /// Requests originals, which must be correct, and one size of each.
    private func ask(_ numbers: ClosedRange<Int>) throws {
        for number in numbers {
            let original = try get("/photos/\(number)")
            #expect(original.status == 200 && original.body == Self.picture(number))
            let size = try get("/photos/\(number)?w=8&format=png")
            #expect(size.status == 200 && PictureHeader.size(ofPNG: size.body)?.first == 8)
        }
    }

    private var isHealthy: Bool {
        get throws {
            try RawHTTPClient(port: daemon.admin).get("/metrics").text.contains("\nedgeprint_disk_healthy 1\n")
        }
    }

    private func purge(_ target: String) throws -> RawHTTPResponse {
        try RawHTTPClient(port: daemon.admin).post("/purge", "{\"url\":\"\(target)\"}")
    }

    private func ready() throws -> String { try RawHTTPClient(port: daemon.admin).get("/readyz").text }

    /// Waits until the cache recovers, which is tried every few seconds.
    private func waitUntilHealthy(andAsk number: Int) throws {
        try daemon.waitForLog("disk cache has recovered")
        try ask(number...number)
        #expect(try isHealthy)
        #expect(try ready().hasPrefix("{\"ready\":true,\"disk\":\"ok\",\"workers\":\"ok\""))
    }

    private func count(_ text: String) -> Int { daemon.logText.split(separator: "\n").count { $0.contains(text) } }

    @Test func `a full file system fails no request, is logged once, and is used again when it has space`() throws {
        try ask(1...60)
        try daemon.waitForLog("disk cache has failed")
        #expect(try !isHealthy)
        #expect(try ready().contains(#""ready":true,"disk":"degraded: "#))
        try ask(1...60)
        #expect(count("disk cache has failed") == 1)
        let purged = try purge("/photos/1")
        #expect(purged.status == 200 && purged.text.contains(#""pending":true"#), "\(purged.text)")
        try mount.resize(bytes: 64 << 20)
        try waitUntilHealthy(andAsk: 61)
        try ask(1...20)
        #expect(count("disk cache has failed") == 1)
    }

    @Test
    func `a read-only mount over the folder fails no request, is logged once, and recovers when removed`()
        throws
    {
        try ask(1...3)
        try mount.hide()
        try ask(1...6)
        try daemon.waitForLog("disk cache has failed")
        #expect(try !isHealthy)
        #expect(try ready().contains(#""ready":true,"disk":"degraded: "#))
        #expect(count("disk cache has failed") == 1)
        let purged = try purge("/photos/1")
        #expect(purged.status == 503 && purged.text.contains("a restart would undo the purge"), "\(purged.text)")
        try mount.unhide()
        try waitUntilHealthy(andAsk: 7)
        try ask(1...6)
        #expect(count("disk cache has failed") == 1)
    }

    @Test func `an original that is put and finds no space is a 503 that says so`() throws {
        let bytes = [UInt8](repeating: 0, count: 3 << 20)
        let client = try RawHTTPClient(port: daemon.admin, timeoutMilliseconds: 20_000)
        let head =
            "PUT /original?path=%2Fphotos%2F1 HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(bytes.count)\r\n\r\n"
        try client.send(Array(head.utf8) + bytes)
        let refused = try client.readResponse()
        #expect(refused.status == 503, "\(refused.text)")
        #expect(refused.text.contains("The content cannot be kept: no space on disk for the body."), "\(refused.text)")
    }
}
