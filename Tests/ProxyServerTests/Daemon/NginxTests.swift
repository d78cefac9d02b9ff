import Foundation
import TestSupport
import Testing

/// `deploy/nginx.conf` in front of the real daemon, with a real nginx and TLS; skipped without nginx.
@Suite(.timeLimit(.minutes(2)), .enabled(if: NginxFront.isInstalled, "nginx is not installed"))
struct NginxTests {
    @Test func `forwards images, conditions, ranges and errors`() throws {
        let front = try NginxFront()
        let first = try front.curl("/photos/a.png?w=8&format=png")
        #expect(first.hasPrefix("HTTP/2 200"), "\(first.prefix(300))")
        #expect(first.contains("cache-status: edgeprint; fwd=uri-miss"))
        let tag = try #require(first.split(separator: "\r\n").first { $0.hasPrefix("etag: ") }?.dropFirst(6))
        #expect(try front.curl("/photos/a.png?w=8&format=png", "-H", "If-None-Match: \(tag)").hasPrefix("HTTP/2 304"))
        #expect(try front.curl("/photos/a.png?w=8&format=png", "-r", "0-3").contains("content-range: bytes 0-3/"))
        #expect(try front.curl("/photos/a.png?w=8&format=png", "-I").contains("content-length: "))
        #expect(try front.curl("/photos/a.png?w=8&format=png").contains("cache-status: edgeprint; hit; detail=memory"))
        let wrong = try front.curl("/photos/a.png?w=x")
        #expect(
            wrong.hasPrefix("HTTP/2 400") && wrong.contains("application/problem+json")
                && wrong.contains("\"parameter\":\"w\"")
        )
        #expect(try front.curl("/photos/a.png", "-X", "POST", "-d", "x").hasPrefix("HTTP/2 405"))
    }

    @Test(arguments: [
        "/photos/a%20b.png", "/photos/a%2Fb.png", "/photos//a.png", "/photos/%C3%A4+%26;=,.png", "/photos/a%252e.png",
    ])
    func `forwards the path unchanged`(path: String) throws {
        let front = try NginxFront()
        #expect(try front.curl("\(path)?w=8&format=png").hasPrefix("HTTP/2 200"))
        #expect(front.origin.heads.first?.hasPrefix("GET \(path.dropFirst("/photos".count)) HTTP/1.1\r\n") == true)
    }

    @Test func `forwards signed requests with unusual characters`() throws {
        let front = try NginxFront("signing: { keys: [\(SigningTests.new)], required: true }")
        for name in ["a b.png", "ä&€?#.png", "x%2Fy.png", "a+b;c=d,(e)'f'.png"] {
            let built = try CommandRun([
                "url", "photos/\(name)", "w=8", "crop=50%x50%", "--config", front.daemon.configurationFile,
            ])
            let answer = try front.curl(String(built.output.dropLast()))
            #expect(answer.hasPrefix("HTTP/2 200"), "\(built.output): \(answer.prefix(400))")
        }
        #expect(try front.curl("/photos/a.png?w=8").hasPrefix("HTTP/2 403"))
    }

    @Test func `reports the client's address and ignores its own claims`() throws {
        let front = try NginxFront("purge: { allow: [127.0.0.2] }")
        #expect(try front.curl("/photos/a.png", "-X", "PURGE", "--interface", "127.0.0.2").hasPrefix("HTTP/2 200"))
        #expect(try front.curl("/photos/a.png", "-X", "PURGE", "--interface", "127.0.0.3").hasPrefix("HTTP/2 403"))
        let spoofed = try front.curl(
            "/photos/a.png",
            "-X",
            "PURGE",
            "--interface",
            "127.0.0.3",
            "-H",
            "X-Forwarded-For: 127.0.0.2"
        )
        #expect(spoofed.hasPrefix("HTTP/2 403"))
    }

    @Test func `removes the client's Via`() throws {
        let front = try NginxFront()
        #expect(try front.curl("/photos/a.png", "-H", "Via: 1.1 mine").hasPrefix("HTTP/2 200"))
        let head = try #require(front.origin.heads.first)
        #expect(ScriptedRequest.field("Via", in: head)?.hasPrefix("1.1 edgeprint-") == true, "\(head)")
    }

    @Test func `keeps its connections to the daemon`() throws {
        let front = try NginxFront()
        _ = try front.curl("/photos/a.png?w=8&format=png")
        let targets = (0..<200).map { _ in "https://img.example.com:\(front.port)/photos/a.png?w=8&format=png" }
        let run = try CommandRun(
            program: "/usr/bin/curl",
            [
                "-sSk", "--noproxy", "*", "--resolve", "img.example.com:\(front.port):127.0.0.1", "-o", "/dev/null",
                "-w", "%{http_code}\n",
            ]
                + targets.flatMap { [$0, "-o", "/dev/null"] }.dropLast(2)
        )
        #expect(run.output.split(separator: "\n").allSatisfy { $0 == "200" }, "\(run.errors)")
        let text = try RawHTTPClient(port: front.daemon.admin).get("/metrics").text
        let line = try #require(
            text.split(separator: "\n").first { $0.hasPrefix("edgeprint_connections_accepted_total ") }
        )
        #expect(Int(line.split(separator: " ")[1]).map { $0 <= 4 } == true, "\(line)")
    }
}
