import Foundation
import LinuxSystem
import TestSupport
import Testing

@testable import ProxyServer

/// `edgeprint warm` against the real daemon.
@Suite(.timeLimit(.minutes(1)))
struct WarmCommandTests {
    private let rig: EndToEndRig

    /// The origin serves images, and sitemaps of them.
    init() throws {
        let picture = TestImages.gradient(width: 32, height: 24)
        let sitemap = """
            <urlset><url><loc>ORIGIN/page.html</loc><image:image><image:loc>ORIGIN/s1.png</image:loc></image:image>
            <image:image><image:loc>https://img.example.com/photos/s2.png</image:loc></image:image></url></urlset>
            """
        rig = try EndToEndRig("presets: { thumb: \"w=8&format=png\" }") { request, connection in
            let host = request.field("Host").map { "http://\($0)" } ?? ""
            switch request.target {
            case "/sitemap.xml": connection.respond(text: sitemap.replacing("ORIGIN", with: host))
            case "/index.xml":
                let index = "<sitemapindex><sitemap><loc>\(host)/sitemap.xml.gz</loc></sitemap></sitemapindex>"
                connection.respond(text: index)
            case "/sitemap.xml.gz":
                connection.respond("200 OK", [], body: Gzip.encode(Array(sitemap.replacing("ORIGIN", with: host).utf8)))
            case let target where target.hasPrefix("/missing"): connection.respond("404 Not Found", text: "no")
            default: connection.respond("200 OK", ["Cache-Control: max-age=600"], body: picture)
            }
        }
    }

    private func run(_ arguments: [String], input: String = "") throws -> CommandRun {
        try CommandRun(
            ["warm"] + arguments
                + ["--config", rig.daemon.configurationFile, "--admin", "127.0.0.1:\(rig.daemon.admin)"],
            input: input
        )
    }

    @Test func `warms URLs with presets, and says so in plain lines`() throws {
        let first = try run(["/photos/a.png", "/photos/b.png", "--preset", "thumb"])
        #expect(first.code == 0, "\(first)")
        #expect(first.output.hasSuffix("job 1 done: 2 done, 0 skipped, 0 failed of 2 targets\n"), "\(first.output)")
        #expect(!first.output.contains("\u{1B}"))
        #expect(try rig.cacheStatus("/photos/a.png?preset=thumb") == "edgeprint; hit; detail=memory")
        let second = try run(["-f", "-", "--preset", "thumb"], input: "# images\n/photos/a.png\n\n/photos/c.png\r\n")
        #expect(second.output.hasSuffix("job 2 done: 1 done, 1 skipped, 0 failed of 2 targets\n"), "\(second)")
    }

    @Test func `the exit code says whether all arrived`() throws {
        let run = try run(["/photos/a.png", "/photos/missing.png"])
        #expect(run.code == 1)
        #expect(run.output.hasSuffix("1 done, 0 skipped, 1 failed of 2 targets\n"), "\(run.output)")
        #expect(run.errors.hasPrefix("/photos/missing.png: The origin has no such image"), "\(run.errors)")
        let preset = try self.run(["/photos/a.png", "--preset", "thum"])
        #expect(preset.code == 1 && preset.errors.contains("did you mean thumb?"), "\(preset)")
    }

    @Test(arguments: ["/sitemap.xml", "/index.xml"])
    func `warms the images of a sitemap, also of an index of compressed ones`(path: String) throws {
        let run = try run(["--sitemap", rig.origin.url + path, "--public-url", "https://img.example.com/"])
        #expect(run.code == 0 && run.output.contains("2 done, 0 skipped, 0 failed"), "\(run)")
        #expect(try rig.cacheStatus("/photos/s1.png") == "edgeprint; hit; detail=memory")
        #expect(try rig.cacheStatus("/photos/s2.png") == "edgeprint; hit; detail=memory")
        #expect(!rig.origin.heads.contains { $0.hasPrefix("GET /page.html") })
    }

    @Test func `warms the most frequent targets of an access log`() throws {
        func line(_ target: String, _ status: Int = 200, method: String = "GET") -> String {
            "{\"time\":\"2026-11-22T00:00:00Z\",\"method\":\"\(method)\",\"target\":\"\(target)\",\"status\":\(status)}\n"
        }
        let log =
            line("/photos/a.png?sig=[redacted]&w=8&exp=1&retry=1") + line("/photos/a.png?w=8")
            + line("/photos/b.png?w=8")
            + line("/photos/b.png?w=8") + line("/photos/c.png") + line("/photos/missing.png", 404)
            + line("/robots.txt") + line("/photos/d.png", method: "POST") + "torn {\n" + line("/photos/b.png?w=8", 304)
        let file = rig.folder.path + "/access.log"
        try log.write(toFile: file, atomically: true, encoding: .utf8)
        let run = try run(["--access-log", file, "--top", "2"])
        #expect(run.code == 0 && run.output.contains("2 done, 0 skipped, 0 failed"), "\(run)")
        #expect(rig.origin.heads.map { $0.split(separator: " ")[1] }.sorted() == ["/a.png", "/b.png"])
    }

    @Test func `leaves out what the log has of raw sources and plain images`() throws {
        let rig = try EndToEndRig(sources: "\n  files: { url: \"http://127.0.0.1:1/\", raw: true }") { _, connection in
            connection.respond(body: TestImages.gradient(width: 32, height: 24))
        }
        let targets = ["/placeholder/30x20/ff8800.png", "/files/a.tar?x=1", "/files/b.png", "/photos/a.png?w=8"]
        let log = targets.map { "{\"method\":\"GET\",\"target\":\"\($0)\",\"status\":200}\n" }.joined()
        let arguments = [
            "warm", "--access-log", "-", "--top", "1", "--config", rig.daemon.configurationFile, "--admin",
            "127.0.0.1:\(rig.daemon.admin)",
        ]
        let run = try CommandRun(arguments, input: log)
        #expect(run.code == 0 && run.output.contains("1 done, 0 skipped, 0 failed of 1 target\n"), "\(run)")
        #expect(rig.origin.heads.count == 1)
    }

    @Test func `does not wait if told so, watches and cancels`() throws {
        let run = try run(["/photos/a.png", "--no-wait"])
        #expect(run.code == 0 && run.output == "1\n", "\(run)")
        let watched = try self.run(["--watch", "1"])
        #expect(watched.code == 0 && watched.output.hasSuffix("job 1 done: 1 done, 0 skipped, 0 failed of 1 target\n"))
        let cancelled = try self.run(["--cancel", "1"])
        #expect(cancelled.code == 0 && cancelled.output.hasPrefix("job 1 done"), "\(cancelled)")
        #expect(try self.run(["--cancel", "9"]).code == 1)
    }

    @Test func `names what is wrong with the command line or a file`() throws {
        for arguments in [[], ["/a", "-f", "x"], ["/a", "--top", "0"]] { #expect(try run(arguments).code == 64) }
        let missing = try run(["-f", "/nowhere/urls.txt"])
        #expect(missing.code == 1 && missing.errors.contains("/nowhere/urls.txt"), "\(missing)")
        let empty = try run(["-f", "-"], input: "# nothing\n")
        #expect(empty.code == 1 && empty.errors.contains("nothing to warm"), "\(empty)")
        let sitemap = try run(["--sitemap", rig.origin.url + "/a.png"])
        #expect(sitemap.code == 1 && sitemap.errors.contains("is not a sitemap"), "\(sitemap)")
    }

    @Test func `shows a bar with counts, rate and time left on a terminal`() {
        let time = ManualTime()
        var meter = WarmMeter(isTerminal: true, time: time)
        func report(_ done: Int, failed: Int = 0) -> JSONValue {
            .object([
                .init("total", .number(100)), .init("done", .number(done)), .init("skipped", .number(0)),
                .init("failed", .number(failed)),
            ])
        }
        #expect(meter.text(report(10)) == "\r[###...........................] 10 % 10 of 100\u{1B}[K")
        time.advance(seconds: 4)
        let text = meter.text(report(48, failed: 2))
        #expect(text == "\r[###############...............] 50 % 50 of 100, 2 failed, 10/s, 5s left\u{1B}[K")
        var plain = WarmMeter(isTerminal: false, time: time)
        #expect(plain.text(report(10)) == "10 %: 10 of 100\n")
        time.advance(seconds: 1)
        #expect(plain.text(report(11)) == "")
        time.advance(seconds: 4)
        #expect(plain.text(report(60)) == "60 %: 60 of 100, 10/s, 4s left\n")
    }
}
