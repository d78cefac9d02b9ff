import Foundation
import Glibc
import LinuxSystem
import TestSupport
import Testing

private let nginx = "/usr/sbin/nginx"
private let isThere = FileManager.default.isExecutableFile(atPath: nginx)

/// `deploy/nginx.conf` in front of the real daemon, with a real nginx and TLS; skipped without nginx.
@Suite(.timeLimit(.minutes(2)), .enabled(if: isThere, "nginx is not installed"))
struct NginxTests {
    private static let picture = TestImages.gradient(width: 64, height: 48)

    /// A daemon on a Unix socket, with nginx in front.
    private final class Front {
        let folder: TemporaryFolder
        let origin: ScriptedOrigin
        let daemon: DaemonProcess
        let port: UInt16
        private let process = Process()

        init(_ extra: String = "") throws {
            folder = try TemporaryFolder()
            origin = try ScriptedOrigin { _, connection in
                connection.respond("200 OK", ["Cache-Control: max-age=600"], body: NginxTests.picture)
            }
            let socket = folder.path + "/edgeprint.sock"
            daemon = try DaemonProcess(
                """
                sources: { photos: { url: "\(origin.url)/", allow-private: true } }
                cache: { path: "\(folder.path)/cache" }
                proxies: { trust: [unix] }
                \(extra)

                """,
                in: folder,
                listeners: "listen: [127.0.0.1:0, \"unix:\(socket)\"]\nadmin: { listen: \"127.0.0.1:0\" }\n"
            )
            port = try NginxTests.freePort()
            try start(socket)
        }

        deinit {
            process.terminate()
            process.waitUntilExit()
        }

        private func start(_ socket: String) throws {
            let folder = folder.path
            let plain = try NginxTests.freePort()
            let key = try CommandRun(
                program: "/usr/bin/openssl",
                [
                    "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=img.example.com",
                    "-keyout", folder + "/key", "-out", folder + "/cert",
                ]
            )
            #expect(key.code == 0, "\(key.errors)")
            var site = try String(contentsOf: NginxTests.site, encoding: .utf8)
            // Paths and ports of this test; everything else is used unchanged.
            for (old, new) in [
                ("unix:/run/edgeprint.sock", "unix:" + socket), ("    listen 80;", "    listen 127.0.0.1:\(plain);"),
                ("    listen [::]:80;\n", ""), ("    listen [::]:443 ssl http2;\n", ""),
                ("    listen 443 ssl http2;", "    listen 127.0.0.1:\(port) ssl http2;"),
                ("/etc/ssl/certs/img.example.com.pem", folder + "/cert"),
                ("/etc/ssl/private/img.example.com.key", folder + "/key"),
                ("/var/log/nginx/edgeprint.log", folder + "/nginx.log"),
            ] {
                #expect(site.contains(old), "deploy/nginx.conf has no \(old)")
                site = site.replacing(old, with: new)
            }
            try site.write(toFile: folder + "/site.conf", atomically: true, encoding: .utf8)
            let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
                .map { "\($0)_temp_path \(folder)/\($0);" }.joined(separator: " ")
            let user = getuid() == 0 ? "user root;" : ""
            try """
            daemon off; pid \(folder)/pid; error_log \(folder)/error.log warn; \(user)
            events {}
            http { \(temporary) include \(folder)/site.conf; }
            """.write(toFile: folder + "/nginx.conf", atomically: true, encoding: .utf8)
            process.executableURL = URL(fileURLWithPath: nginx)
            process.arguments = ["-p", folder, "-e", folder + "/error.log", "-c", folder + "/nginx.conf"]
            try process.run()
            while (try? RawHTTPClient(port: plain)) == nil, process.isRunning { sched_yield() }
            let errors = (try? String(contentsOfFile: folder + "/error.log", encoding: .utf8)) ?? ""
            #expect(process.isRunning, "\(errors)")
            let redirect = try RawHTTPClient(port: plain).get("/photos/a%2Fb.png?w=1")
            #expect(redirect.status == 301 && redirect["Location"] == "https://localhost/photos/a%2Fb.png?w=1")
        }

        /// Sends a request to nginx by HTTPS; returns curl's output with the response head.
        func curl(_ target: String, _ arguments: String...) throws -> String {
            let run = try CommandRun(
                program: "/usr/bin/curl",
                [
                    "-sSki", "--globoff", "--path-as-is", "--max-time", "20", "--noproxy", "*",
                    "--resolve", "img.example.com:\(port):127.0.0.1",
                ] + arguments + ["https://img.example.com:\(port)\(target)"]
            )
            #expect(run.code == 0, "\(run.errors)")
            return run.output
        }
    }

    private static let site = URL(filePath: Checkout.path("deploy/nginx.conf"))

    /// A port that was free a moment ago, as nginx cannot choose one.
    private static func freePort() throws -> UInt16 {
        let origin = try ScriptedOrigin { _, _ in }
        defer { origin.stop() }
        return origin.port
    }

    @Test func `forwards images, conditions, ranges and errors`() throws {
        let front = try Front()
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
        "/photos/%41.png",
    ])
    func `forwards the path unchanged`(path: String) throws {
        let front = try Front()
        #expect(try front.curl("\(path)?w=8&format=png").hasPrefix("HTTP/2 200"))
        #expect(front.origin.heads.first?.hasPrefix("GET \(path.dropFirst("/photos".count)) HTTP/1.1\r\n") == true)
    }

    @Test func `forwards signed requests with unusual characters`() throws {
        let front = try Front("signing: { keys: [\(SigningTests.new)], required: true }")
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
        let front = try Front("purge: { allow: [127.0.0.2] }")
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
        let front = try Front()
        #expect(try front.curl("/photos/a.png", "-H", "Via: 1.1 mine").hasPrefix("HTTP/2 200"))
        let head = try #require(front.origin.heads.first)
        #expect(ScriptedRequest.field("Via", in: head)?.hasPrefix("1.1 edgeprint-") == true, "\(head)")
    }

    @Test func `keeps its connections to the daemon`() throws {
        let front = try Front()
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
