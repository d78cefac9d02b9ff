import HTTPCache
import ImagePipeline
import TestSupport
import Testing

@testable import ProxyServer

/// Which images share a worker process, from the configuration to the process.
@Suite(.timeLimit(.minutes(1)))
struct IsolationTests {
    private let folder: TemporaryFolder
    private let origin: ScriptedOrigin

    init() throws {
        folder = try TemporaryFolder()
        let picture = TestImages.gradient(width: 40, height: 30)
        origin = try ScriptedOrigin(
            ScriptedOrigin.pictures(["a.png": picture, "b.png": picture, "damaged.png": Array(picture.prefix(60))])
        )
    }

    private func daemon(_ isolation: String, remote: String = "") throws -> DaemonProcess {
        let yaml = """
            sources:
              one: { url: "\(origin.url)/", allow-private: true, isolate: \(isolation) }
              two: { url: "\(origin.url)/", allow-private: true, isolate: \(isolation) }
            remote: { allow: ["*"], allow-private: true\(remote) }
            workers: { count: 1 }
            cache: { path: "\(folder.path)/cache-\(UInt32.random(in: 0 ... .max))" }

            """
        let daemon = try DaemonProcess(yaml, in: folder)
        try daemon.waitUntilReady()
        return daemon
    }

    /// Requests images, and returns how many processes were replaced for another domain.
    private func swaps(_ daemon: DaemonProcess, _ targets: [String]) throws -> Int? {
        for target in targets {
            let answer = try RawHTTPClient(port: daemon.port, timeoutMilliseconds: 20_000).get(target)
            #expect(answer.status == 200, "\(target): \(answer.text)")
        }
        return try counter("edgeprint_worker_swaps_total", of: daemon)
    }

    private func counter(_ name: String, of daemon: DaemonProcess) throws -> Int? {
        let metrics = try RawHTTPClient(port: daemon.admin).get("/metrics").text
        return metrics.split(separator: "\n").first { $0.hasPrefix(name + " ") }
            .flatMap { Int($0.split(separator: " ")[1]) }
    }

    @Test func `sources that are isolated do not share a worker process`() throws {
        let targets = ["/one/a.png?w=20", "/one/b.png?w=20", "/two/a.png?w=20", "/two/b.png?w=20", "/one/a.png?w=10"]
        #expect(try swaps(daemon("source"), targets) == 2)
    }

    @Test(arguments: ["none", "site"])
    func `sources without isolation, and those isolated as one site, do`(isolation: String) throws {
        #expect(try swaps(daemon(isolation), ["/one/a.png?w=20", "/two/a.png?w=20", "/one/b.png?w=20"]) == 0)
    }

    /// Two names of one server.
    private var targets: [String] {
        let port = origin.url.split(separator: ":").last.map(String.init) ?? ""
        func target(_ host: String, _ file: String) -> String { "/fetch?url=http://\(host):\(port)/\(file)&w=20" }
        return [target("127.0.0.1", "a.png"), target("127.0.0.1", "b.png"), target("localhost", "a.png")]
    }

    @Test func `hosts of fetch do not share a worker process by default`() throws {
        #expect(try swaps(daemon("none"), targets) == 1)
        // The first image of a source changes to the shared domain.
        #expect(try swaps(daemon("none"), targets + ["/one/a.png?w=20"]) == 2)
    }

    @Test func `hosts of fetch share a worker process if the configuration says so`() throws {
        #expect(try swaps(daemon("none", remote: ", isolate: none"), targets + ["/one/a.png?w=20"]) == 0)
        #expect(try swaps(daemon("none", remote: ", isolate: source"), targets + ["/one/a.png?w=20"]) == 1)
    }

    @Test func `a damaged image replaces its worker once, and the daemon remembers the image`() throws {
        let daemon = try daemon("none")
        for _ in 0..<3 {
            let answer = try RawHTTPClient(port: daemon.port, timeoutMilliseconds: 20_000).get("/one/damaged.png?w=20")
            #expect(answer.status == 422, "\(answer.text)")
        }
        #expect(try swaps(daemon, ["/one/a.png?w=20"]) == 0)
        #expect(try counter("edgeprint_worker_error_replacements_total", of: daemon) == 1)
        #expect(try counter("edgeprint_worker_restarts_total", of: daemon) == 0)
    }

    @Test func `the configuration names the domains`() throws {
        func isolation(_ key: String) throws -> SourceRule.Isolation? {
            try load("sources: { a: { url: \"https://a.example/\"\(key) } }").sources.first?.rule.isolation
        }
        #expect(try isolation("") == SourceRule.Isolation.none)
        #expect(try isolation(", isolate: source") == .source)
        #expect(try isolation(", isolate: site") == .site)
        #expect(try load("{}").remoteRule.isolation == .host)
        #expect(try load("remote: { isolate: site }").remoteRule.isolation == .site)
    }

    @Test func `unknown and ineffective domains are errors`() {
        func problem(_ key: String) -> String {
            problems("sources: { a: { url: \"https://a.example/\", \(key) } }").joined(separator: "\n")
        }
        #expect(problem("isolate: host").contains("one of none, source, site"))
        #expect(problem("isolate: sorce").contains("did you mean source?"))
        #expect(problem("raw: true, isolate: source").contains("has no effect with raw: true"))
    }
}
