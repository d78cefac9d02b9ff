import Foundation
import Glibc
import LinuxSystem
import TestSupport
import Testing

/// A daemon on a Unix socket, with a real nginx in front that has `deploy/nginx.conf` and TLS.
final class NginxFront {
    private static let nginx = "/usr/sbin/nginx"
    static let isInstalled = FileManager.default.isExecutableFile(atPath: nginx)
    /// The original of every path.
    static let picture: [UInt8] = {
        var state: UInt32 = 1
        // Noise, so that results are long.
        let pixels = (0..<160 * 120 * 3).map { _ in
            state = state &* 1_664_525 &+ 1_013_904_223
            return UInt8(state >> 24)
        }
        return TestImages.png(width: 160, height: 120, rgb: pixels)
    }()

    let folder: TemporaryFolder
    let origin: ScriptedOrigin
    let daemon: DaemonProcess
    let port: UInt16
    /// The port of a copy of the server that does not offer to send files.
    let plainPort: UInt16
    private let process = Process()

    /// Starts both.
    ///
    /// - Parameters:
    ///   - extra: further lines of the configuration.
    ///   - source: further keys of the source.
    ///   - sources: further sources; `ORIGIN` is the origin's URL.
    ///   - fields: what the origin sends.
    init(
        _ extra: String = "",
        source: String = "",
        sources: String = "",
        fields: [String] = ["Cache-Control: max-age=600"]
    ) throws {
        folder = try TemporaryFolder()
        origin = try ScriptedOrigin { _, connection in
            connection.respond("200 OK", fields, body: NginxFront.picture)
        }
        let socket = folder.path + "/edgeprint.sock"
        daemon = try DaemonProcess(
            """
            sources:
              photos: { url: "\(origin.url)/", allow-private: true\(source) }
              \(sources.replacing("ORIGIN", with: "\(origin.url)"))
            cache: { path: "\(folder.path)/cache" }
            proxies: { trust: [unix] }
            \(extra)

            """,
            in: folder,
            listeners: "listen: [127.0.0.1:0, \"unix:\(socket)\"]\nadmin: { listen: \"127.0.0.1:0\" }\n"
        )
        port = try NginxFront.freePort()
        plainPort = try NginxFront.freePort()
        try start(socket)
    }

    deinit {
        process.terminate()
        process.waitUntilExit()
    }

    private func start(_ socket: String) throws {
        let folder = folder.path
        let redirecting = try NginxFront.freePort()
        let key = try CommandRun(
            program: "/usr/bin/openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-subj", "/CN=img.example.com",
                "-keyout", folder + "/key", "-out", folder + "/cert",
            ]
        )
        #expect(key.code == 0, "\(key.errors)")
        var site = try String(contentsOfFile: Checkout.path("deploy/nginx.conf"), encoding: .utf8)
        // Paths and ports of this test; everything else is used unchanged.
        for (old, new) in [
            ("unix:/run/edgeprint.sock", "unix:" + socket), ("    listen 80;", "    listen 127.0.0.1:\(redirecting);"),
            ("    listen [::]:80;\n", ""), ("    listen [::]:443 ssl http2;\n", ""),
            ("    listen 443 ssl http2;", "    listen 127.0.0.1:\(port) ssl http2;"),
            ("/etc/ssl/certs/img.example.com.pem", folder + "/cert"),
            ("/etc/ssl/private/img.example.com.key", folder + "/key"),
            ("/var/log/nginx/edgeprint.log", folder + "/nginx.log"),
            ("/var/cache/edgeprint/", folder + "/cache/"),
        ] {
            #expect(site.contains(old), "deploy/nginx.conf has no \(old)")
            site = site.replacing(old, with: new)
        }
        let server = "server {\n    listen 127.0.0.1:\(port) "
        let offer = "set $edgeprint_sendfile X-Accel-Redirect;"
        let start = try #require(site.range(of: server), "deploy/nginx.conf begins its main server differently")
        let main = String(site[start.lowerBound...])
        #expect(main.contains(offer))
        site +=
            main.replacing("listen 127.0.0.1:\(port) ", with: "listen 127.0.0.1:\(plainPort) ")
            .replacing(offer, with: "set $edgeprint_sendfile \"\";")
        try site.write(toFile: folder + "/site.conf", atomically: true, encoding: .utf8)
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map { "\($0)_temp_path \(folder)/\($0);" }.joined(separator: " ")
        let user = getuid() == 0 ? "user root;" : ""
        try """
        daemon off; pid \(folder)/pid; error_log \(folder)/error.log warn; \(user)
        events {}
        http { \(temporary) include \(folder)/site.conf; }
        """.write(toFile: folder + "/nginx.conf", atomically: true, encoding: .utf8)
        process.executableURL = URL(fileURLWithPath: Self.nginx)
        process.arguments = ["-p", folder, "-e", folder + "/error.log", "-c", folder + "/nginx.conf"]
        try process.run()
        try waitWhile((try? RawHTTPClient(port: redirecting)) == nil && process.isRunning)
        let errors = (try? String(contentsOfFile: folder + "/error.log", encoding: .utf8)) ?? ""
        #expect(process.isRunning, "\(errors)")
        let redirect = try RawHTTPClient(port: redirecting).get("/photos/a%2Fb.png?w=1")
        #expect(redirect.status == 301 && redirect["Location"] == "https://localhost/photos/a%2Fb.png?w=1")
    }

    /// Sends a request to nginx by HTTPS; returns curl's output with the response head.
    func curl(_ target: String, _ arguments: String...) throws -> String {
        let run = try self.run(target, at: port, arguments + ["-i"])
        return run.output
    }

    /// Sends a request to nginx by HTTPS.
    ///
    /// - Returns: the head's lines, without the end of the line, and the body.
    func response(_ target: String, at port: UInt16, _ arguments: [String]) throws -> (head: [String], body: Data) {
        let (head, body) = (folder.path + "/response.head", folder.path + "/response.body")
        for file in [head, body] { TemporaryFolder.delete(file) }
        _ = try run(target, at: port, arguments + ["-D", head, "-o", body])
        let text = try String(contentsOfFile: head, encoding: .utf8)
        let lines = text.replacing("\r\n", with: "\n").split(separator: "\n").map(String.init)
        return (lines, FileManager.default.contents(atPath: body) ?? Data())
    }

    private func run(_ target: String, at port: UInt16, _ arguments: [String]) throws -> CommandRun {
        let run = try CommandRun(
            program: "/usr/bin/curl",
            [
                "-sSk", "--globoff", "--path-as-is", "--max-time", "20", "--noproxy", "*",
                "--resolve", "img.example.com:\(port):127.0.0.1",
            ] + arguments + ["https://img.example.com:\(port)\(target)"]
        )
        #expect(run.code == 0, "\(run.errors)")
        return run
    }

    /// A value of the daemon's metrics, once all requests are counted.
    func metric(_ name: String) throws -> Int {
        func value(_ name: String, in text: String) throws -> Int {
            let line = try #require(text.split(separator: "\n").first { $0.hasPrefix(name + " ") }, "no \(name)")
            return try #require(Int(line.dropFirst(name.utf8.count + 1)))
        }
        return try waitFor {
            let text = try RawHTTPClient(port: daemon.admin).get("/metrics").text
            return try value("edgeprint_requests_in_flight", in: text) == 0 ? value(name, in: text) : nil
        }
    }

    /// A port that was free a moment ago, as nginx cannot choose one.
    private static func freePort() throws -> UInt16 {
        let origin = try ScriptedOrigin { _, _ in }
        defer { origin.stop() }
        return origin.port
    }
}
