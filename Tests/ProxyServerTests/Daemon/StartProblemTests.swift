import Foundation
import Glibc
import HTTPKit
import ImagePipeline
import LinuxSystem
import TestSupport
import Testing

@testable import ProxyServer

/// Messages of start errors and warnings, with the key and a fix.
@Suite(.timeLimit(.minutes(1)))
struct StartProblemTests {
    private let folder: TemporaryFolder
    /// A listening socket.
    private let origin: ScriptedOrigin

    init() throws {
        folder = try TemporaryFolder()
        origin = try ScriptedOrigin(ScriptedOrigin.pictures([:]))
    }

    /// The message with which `edgeprint serve` exits.
    private func refusal(_ listen: String, admin: String = "off") throws -> (text: String, file: String) {
        let yaml = "listen: \(listen)\nadmin: { listen: \"\(admin)\" }\ncache: { path: \"\(folder.path)/cache\" }\n"
        let file = folder.path + "/edgeprint.yaml"
        try Data(yaml.utf8).write(to: URL(fileURLWithPath: file))
        let run = try CommandRun(["serve", "--config", file])
        #expect(run.code == 1)
        return (run.errors.split(separator: "\n").last.map(String.init) ?? "", file)
    }

    @Test func `an address in use is reported with its key and line, and how to find the process`() throws {
        let taken = "127.0.0.1:\(origin.port)"
        let advice = "in use by another process; find the process with ss -ltnp 'sport = :\(origin.port)' and stop it"
        let (text, file) = try refusal(taken)
        #expect(text.hasPrefix("edgeprint: \(file):1: listen: \(taken): \(advice)"), "\(text)")
        let admin = try refusal("127.0.0.1:0", admin: taken).text
        #expect(admin.hasPrefix("edgeprint: \(file):2: admin.listen: \(taken): \(advice)"), "\(admin)")
    }

    @Test func `errors for a foreign address and an impossible socket path suggest a fix`() throws {
        #expect(
            try refusal("192.0.2.7:8080").text.contains("listen: 192.0.2.7:8080: not an address of this machine; ")
        )
        let nowhere = "unix:\(folder.path)/nowhere/a.sock"
        let missing = try refusal(nowhere).text
        #expect(
            missing.contains("listen: \(nowhere): cannot create a socket in \(folder.path)/nowhere: "),
            "\(missing)"
        )
        #expect(missing.contains("; create \(folder.path)/nowhere"))
        try Data().write(to: URL(fileURLWithPath: folder.path + "/file"))
        let file = try refusal("unix:\(folder.path)/file").text
        #expect(
            file.hasSuffix("\(folder.path)/file exists and is not a socket; remove it, or use another path"),
            "\(file)"
        )
    }

    @Test func `errors for a privileged port and for missing resources suggest a fix`() throws {
        let loaded = LoadedConfiguration(configuration: Configuration(), places: ["listen": .flag("--listen")])
        let address = ListenAddress.tcp(host: "", port: 80)
        let refused = ConfigurationProblem(ServerStartError.address(address, Errno(EACCES, "bind")), loaded)
        #expect(
            refused?.description.hasPrefix("flag --listen: listen: :80: this user is not allowed to bind it: ") == true
        )
        #expect(refused?.description.contains("CAP_NET_BIND_SERVICE") == true)
        let ofAdmin = ServerStartError.address(.tcp(host: "127.0.0.1", port: 8081), Errno(EADDRINUSE, "bind"))
        let byDefault = ConfigurationProblem(ofAdmin, loaded, listenKey: "admin.listen")
        #expect(
            byDefault?.description.hasPrefix("admin.listen: 127.0.0.1:8081 (the default): in use by another process")
                == true
        )
        for error in [ServerStartError.resources(Errno(EMFILE, "epoll_create1")), Errno(EAGAIN, "pthread_create")]
            as [any Error]
        {
            let text = ConfigurationProblem(error, loaded).map(\.description) ?? ""
            #expect(text.contains("LimitNOFILE=") && text.contains("TasksMax="), "\(text)")
        }
        #expect(ConfigurationProblem(CancellationError(), loaded) == nil)
    }

    @Test func `a cache folder in use is reported with its key and line`() throws {
        let daemon = try DaemonProcess("cache: { path: \"\(folder.path)/cache\" }\n", in: TemporaryFolder())
        let (text, file) = try refusal("127.0.0.1:0")
        let reason = "the cache folder \(folder.path)/cache is in use by another daemon; stop it"
        #expect(text.hasPrefix("edgeprint: \(file):3: cache.path: \(reason)"), "\(text)")
        withExtendedLifetime(daemon) {}
    }

    @Test
    func `a missing folder is a warning at start and reload, and its source is served once it exists`()
        throws
    {
        let (pictures, other) = (folder.path + "/pictures", folder.path + "/other")
        func yaml(_ path: String) -> String {
            "sources: { local: { url: \"file://\(path)\" } }\ncache: { path: \"\(folder.path)/cache\" }\n"
        }
        let daemon = try DaemonProcess(yaml(pictures), in: folder)
        try daemon.waitForLog("source is unavailable")
        try daemon.waitForLog("the folder \(pictures) does not exist")
        #expect(try RawHTTPClient(port: daemon.port).get("/local/a.png").status == 404)
        try FileManager.default.createDirectory(atPath: pictures, withIntermediateDirectories: false)
        let picture = TestImages.gradient(width: 8, height: 8)
        try Data(picture).write(to: URL(fileURLWithPath: pictures + "/b.png"))
        #expect(try RawHTTPClient(port: daemon.port).get("/local/b.png").body == picture)
        try daemon.rewrite(yaml(other))
        daemon.signal(SIGHUP)
        try daemon.waitForLog("the folder \(other) does not exist")
    }

    @Test(arguments: [
        (
            "timeouts:\n  first-byte: 10s\n  total: 5s",
            "test.yaml:3: timeouts.total: is less than timeouts.first-byte (10s), which could never expire"
        ),
        (
            "timeouts: { first-byte: 20s }\nsources:\n  a:\n    url: \"https://x/\"\n    timeouts: { total: 15s }",
            "test.yaml:5: sources.a.timeouts.total: is less than timeouts.first-byte (20s), which could never expire"
        ),
        (
            "timeouts: { total: 20s }\nsources:\n  a:\n    url: \"https://x/\"\n    timeouts: { first-byte: 1m }",
            "test.yaml:5: sources.a.timeouts.first-byte: is more than timeouts.total (20s), which ends the download earlier"
        ),
        ("timeouts: { total: 5s }", nil), ("timeouts: { first-byte: 5s, total: 5s }", nil),
        ("sources: { a: { url: \"https://x/\", timeouts: { total: 5s } } }", nil),
    ])
    func `timeouts.total below timeouts.first-byte is refused if both are set`(yaml: String, problem: String?) {
        #expect(problems(yaml) == [problem].compactMap(\.self))
    }

    @Test(arguments: [
        (
            "cache:\n\tmemory: 1MiB", ":2: is not valid YAML: ",
            "the line is indented by a tab: YAML only allows spaces"
        ),
        ("cache:\n  path: /a\n \tmemory: 1MiB", ":3: is not valid YAML: ", "indented by a tab"),
        ("admin: { token: ${X} }", ":1: is not valid YAML: ", "within { } and [ ] a variable must be quoted: \"${X}\""),
        (
            "log: { level: info }\nsigning: { keys: [\"ab\", ${SOME_KEY}] }", ":2: is not valid YAML: ",
            "must be quoted: \"${SOME_KEY}\""
        ),
        ("remote: { allow: [*.example.com] }", ":1: is not valid YAML: ", "a value that begins with * must be quoted"),
        ("presets:\n  a: @b", ":2: is not valid YAML: ", "a value that begins with @ must be quoted"),
    ])
    func `common YAML mistakes have a clear message`(yaml: String, start: String, advice: String) {
        let found = problems(yaml, environment: ["X": "secret"])
        #expect(found.count == 1 && found[0].hasPrefix("test.yaml" + start) && found[0].contains(advice), "\(found)")
    }

    @Test func `other mistakes are not taken for these`() {
        for yaml in ["a: [1", "a: \"${X}", "a: b: c # ${X}", "a: 'tab\there': b"] {
            #expect(problems(yaml).first?.contains(";") == false, "\(problems(yaml))")
        }
    }
}
