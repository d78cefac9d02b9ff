import Foundation
import Glibc
import TestSupport
import Testing

/// The two logs of the real daemon.
@Suite(.timeLimit(.minutes(1)))
struct LoggingTests {
    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let canaries = ["hunter2", "c0ffee", "SIGNED", "s3cr3t"]

    private final class Rig {
        let folder: TemporaryFolder
        let origin: ScriptedOrigin
        let daemon: DaemonProcess

        init(_ extra: String = "", script: @escaping ScriptedOrigin.Script) throws {
            folder = try TemporaryFolder()
            origin = try ScriptedOrigin(script)
            daemon = try DaemonProcess(
                """
                sources: { photos: { url: "\(origin.url)/", allow-private: true, headers: { X-Api-Key: hunter2 } } }
                cache: { path: "\(folder.path)/cache" }
                \(extra)

                """,
                in: folder,
                output: folder.path + "/access"
            )
        }

        /// Waits for a number of lines in the access log.
        func access(_ count: Int) throws -> [String] {
            func read() -> [String] {
                let text = (try? String(contentsOfFile: folder.path + "/access", encoding: .utf8)) ?? ""
                return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
            }
            try waitWhile(read().count < count)
            return read()
        }
    }

    private func object(_ line: String) throws -> [String: Any] {
        try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }

    @Test func `request, origin request, event and error have the same id`() throws {
        let rig = try Rig { _, connection in connection.respond("500 Oops", text: "no") }
        let client = try RawHTTPClient(port: rig.daemon.port)
        let answer = try client.get("/photos/a.png?w=1", [("traceparent", "00-\(Self.trace)-00f067aa0ba902b7-01")])
        #expect(answer.status == 502 && answer.text.contains("\"id\":\"\(Self.trace)\""))
        let head = try #require(rig.origin.heads.first)
        #expect(head.contains(try Regex("(?i)\r\ntraceparent: 00-\(Self.trace)-[0-9a-f]{16}-01\r\n")))
        #expect(!head.contains("00f067aa0ba902b7"))
        #expect(try object(rig.access(1)[0])["id"] as? String == Self.trace)
        try rig.daemon.waitForLog("request failed")
        let event = try #require(rig.daemon.logText.split(separator: "\n").first { $0.contains("request failed") })
        #expect(event.contains("\"id\":\"\(Self.trace)\"") && event.contains("\"source\":\"photos\""))
    }

    @Test func `requests without a valid traceparent get new ids, and origins receive none`() throws {
        let rig = try Rig { _, connection in connection.respond("404 Not Found", text: "no") }
        let client = try RawHTTPClient(port: rig.daemon.port)
        let values = [
            "", "00-00000000000000000000000000000000-00f067aa0ba902b7-01", "garbage\u{1}".replacing("\u{1}", with: "x"),
        ]
        for value in values { _ = try client.get("/photos/a.png?w=1", value.isEmpty ? [] : [("traceparent", value)]) }
        _ = try client.get(
            "/photos/a.png?w=1",
            [
                ("traceparent", "00-\(Self.trace)-00f067aa0ba902b7-01"),
                ("traceparent", "00-\(Self.trace)-00f067aa0ba902b7-01"),
            ]
        )
        let ids = try rig.access(4).map { try object($0)["id"] as? String ?? "" }
        #expect(Set(ids).count == 4 && ids.allSatisfy { $0.wholeMatch(of: /[0-9a-f]{32}/) != nil && $0 != Self.trace })
        #expect(rig.origin.heads.allSatisfy { !$0.lowercased().contains("traceparent") })
    }

    @Test(arguments: ["json", "text"])
    func `external input cannot forge a line or control a terminal`(format: String) throws {
        let evil = "\u{1B}[31m\u{9B}\u{202E}\u{7F}\"}{"
        let rig = try Rig("log: { format: \(format), level: trace }") { _, connection in
            connection.send("HTTP/1.1 500 \u{1B}[2J\r\nX: \u{1B}[31m\u{202E}\r\nContent-Length: 0\r\n\r\n")
        }
        // Raw bytes, percent-encoded ones, and invalid UTF-8, in path, query and fields.
        let targets: [[UInt8]] = [
            Array("/photos/\(evil)?w=1".utf8), Array("/photos/%0D%0A%1B%5B31m?w=1".utf8),
            Array("/photos/a?w=%0A{\"status\":200}".utf8),
            Array("/photos/".utf8) + [0xC0, 0xAF, 0xFF], Array("/photos/a?w=1&\\\"}".utf8), Array("/photos/b?w=1".utf8),
        ]
        for target in targets {
            let client = try RawHTTPClient(port: rig.daemon.port, timeoutMilliseconds: 20_000)
            try client.send(
                Array("GET ".utf8) + target
                    + Array(" HTTP/1.1\r\nHost: a\r\nUser-Agent: \u{9B}\u{202E}\"}{\r\n\r\n".utf8)
            )
            _ = try client.readResponse()
        }
        try rig.daemon.waitForLog("request failed")
        let lines = try rig.access(targets.count) + rig.daemon.logText.split(separator: "\n").map(String.init)
        for line in lines {
            #expect(
                line.unicodeScalars.allSatisfy {
                    $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) && $0 != "\u{202E}"
                },
                "\(line)"
            )
            if format == "json" { _ = try object(line) }
        }
    }

    @Test func `no secret is logged, at any level`() throws {
        let key = String(repeating: "c0ffee", count: 6)
        let rig = try Rig(
            """
            log: { level: trace }
            signing: { keys: [\(key)] }
            """
        ) { _, connection in connection.respond("500 Oops", text: "no") }
        for (target, fields) in [
            ("/photos/a?w=1&sig=SIGNED", []), ("/photos/a?w=1&%73ig=SIGNED", []),
            ("/photos/a?w=1", [("Authorization", "Bearer s3cr3t")]),
            ("/photos/a?w=1", [("Cookie", "s3cr3t"), ("X-Token", "s3cr3t")]),
        ] as [(String, [(String, String)])] {
            _ = try RawHTTPClient(port: rig.daemon.port).get(target, fields)
        }
        rig.daemon.signal(SIGHUP)
        try rig.daemon.waitForLog("configuration reloaded")
        try rig.daemon.rewrite("admin: { token: \"hunter2 s3cr3t\" }\nsigning: { keys: [c0ffee] }\n", listeners: "")
        rig.daemon.signal(SIGHUP)
        try rig.daemon.waitForLog("stays in force")
        let all = try rig.access(4).joined(separator: "\n") + rig.daemon.logText
        #expect(rig.origin.heads.first?.contains("hunter2") == true)
        for canary in Self.canaries { #expect(!all.contains(canary), "\(canary)") }
    }

    @Test func `limits the lines per second`() throws {
        let rig = try Rig("log: { rate: 5 }") { _, connection in connection.respond("404 Not Found", text: "no") }
        let client = try RawHTTPClient(port: rig.daemon.port)
        for _ in 0..<500 { _ = try client.get("/") }
        let text = try RawHTTPClient(port: rig.daemon.admin).get("/metrics").text
        let line = try #require(
            text.split(separator: "\n").first { $0.hasPrefix("edgeprint_access_log_dropped_total ") }
        )
        // At most five per second.
        #expect(try #require(Int(line.split(separator: " ")[1])) >= 400)
        #expect(try rig.access(1).count <= 100)
    }
}
