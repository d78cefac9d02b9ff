import LinuxSystem
import Glibc
import TestSupport
import Testing

@testable import ProxyServer

/// Options of single requests that need a signature or the admin token.
@Suite(.timeLimit(.minutes(1)))
struct SignedOptionTests {
    private static let signing = "signing: { keys: [\(String(repeating: "ab", count: 32))] }"
    private static let guarded = "listen: 127.0.0.1:0\nadmin: { listen: \"127.0.0.1:0\", token: \"letmein\" }\n"
    private static let token = ("Authorization", "Bearer letmein")
    private let picture = TestImages.gradient(width: 64, height: 48)

    private func url(_ rig: EndToEndRig, _ parameters: String...) throws -> String {
        let arguments = ["url", "photos/a.png"] + parameters + ["--config", rig.daemon.configurationFile]
        return String(try CommandRun(arguments).output.dropLast())
    }

    /// Gives the daemon an admin token.
    private func guarded(_ rig: EndToEndRig, source: String = "") throws {
        try rig.daemon.rewrite(rig.yaml(source: source), listeners: Self.guarded)
        rig.daemon.signal(SIGHUP)
        try waitWhile(RawHTTPClient(port: rig.daemon.admin).get("/stats").status != 401)
    }

    /// An origin that answers 503 until it is repaired.
    private func failing(_ isRepaired: Signal<Bool>, _ body: [UInt8]) -> ScriptedOrigin.Script {
        { _, connection in
            guard isRepaired.value else { return connection.respond("503 Service Unavailable", text: "no") }
            connection.respond("200 OK", ["Cache-Control: max-age=600"], body: body)
        }
    }

    @Test(arguments: ["refresh", "retry", "wait-store"])
    func `each option is refused without a signature, and explained with one`(_ name: String) throws {
        let rig = try EndToEndRig(Self.signing, script: ScriptedOrigin.pictures(["a.png": picture]))
        let refused = try rig.get("/photos/a.png?w=10&\(name)=1")
        #expect(refused.status == 403 && refused.text.contains("\"parameter\":\"\(name)\""), "\(refused.text)")
        #expect(rig.origin.requests == 0)
        let signed = try url(rig, "w=10", "format=png", "\(name)=1")
        #expect(try rig.get(signed).status == 200)
        let told = try CommandRun(["explain", signed, "--config", rig.daemon.configurationFile]).output
        #expect(told.contains(name) && told.contains("valid, key 1"), "\(told)")
        // It is no part of the key.
        #expect(try rig.get("/photos/a.png?w=10&format=png")["Cache-Status"] == "edgeprint; hit; detail=memory")
    }

    @Test func `retry=1 ends an outage that other requests wait for`() throws {
        let isRepaired = Signal(false)
        let rig = try EndToEndRig(
            Self.signing
                + "\nnegative: { failing: 1h, failing-max: 1h }\nbreaker: { failures: 1, pause: 1h, pause-max: 1h }",
            script: failing(isRepaired, picture)
        )
        #expect(try rig.get("/photos/a.png?w=10").status == 502)
        isRepaired.update { $0 = true }
        #expect(try rig.get("/photos/a.png?w=10")["Cache-Status"] == "edgeprint; hit; detail=negative")
        #expect(try rig.get(url(rig, "w=10", "refresh=1"))["Cache-Status"] == "edgeprint; hit; detail=negative")
        #expect(try rig.get("/photos/b.png?w=10").status == 503)
        #expect(rig.origin.requests == 1)
        #expect(try rig.get(url(rig, "w=10", "retry=1")).status == 200)
        #expect(try rig.get("/photos/a.png?w=10").status == 200)
        // The breaker has closed.
        #expect(try rig.get("/photos/c.png?w=10").status == 200)
        // A fresh response is good enough for a retry.
        let before = rig.origin.requests
        #expect(try rig.get(url(rig, "w=10", "retry=1"))["Cache-Status"] == "edgeprint; hit; detail=memory")
        #expect(rig.origin.requests == before)
    }

    @Test(arguments: ["", ", raw: true"])
    func `the admin token permits retry-failed in Cache-Control`(source: String) throws {
        let isRepaired = Signal(false)
        let rig = try EndToEndRig(source: source, script: failing(isRepaired, picture))
        try rig.daemon.rewrite(
            rig.yaml("negative: { failing: 1h, failing-max: 1h }", source: source),
            listeners: Self.guarded
        )
        rig.daemon.signal(SIGHUP)
        try waitWhile(RawHTTPClient(port: rig.daemon.admin).get("/stats").status != 401)
        #expect(try rig.get("/photos/a.png", [("Cache-Control", "retry-failed")]).status >= 502)
        isRepaired.update { $0 = true }
        #expect(try rig.get("/photos/a.png", [("Cache-Control", "retry-failed")]).status >= 502)
        #expect(rig.origin.requests == 1)
        #expect(try rig.get("/photos/a.png", [("Cache-Control", "retry-failed"), Self.token]).status == 200)
        #expect(rig.origin.requests == 2)
        #expect(rig.origin.heads.allSatisfy { !$0.contains("letmein") })
    }

    @Test func `Pragma is no-cache for the admin token, unless there is Cache-Control`() throws {
        let rig = try EndToEndRig(
            script: ScriptedOrigin.pictures(["a.png": picture], fields: ["Cache-Control: max-age=600", "ETag: \"e\""])
        )
        try guarded(rig)
        _ = try rig.get("/photos/a.png?w=10")
        #expect(try rig.get("/photos/a.png?w=10", [("Pragma", "no-cache")])["Cache-Status"]?.contains("hit") == true)
        let both = [("Pragma", "no-cache"), ("Cache-Control", "max-age=60"), Self.token]
        #expect(try rig.get("/photos/a.png?w=10", both).status == 200)
        #expect(try rig.get("/photos/a.png?w=10", [("Pragma", "x"), Self.token]).status == 200)
        #expect(rig.origin.requests == 1)
        let answer = try rig.get("/photos/a.png?w=10", [("Pragma", "no-cache"), Self.token])
        #expect(answer["Cache-Status"]?.contains("fwd=request") == true, "\(answer["Cache-Status"] ?? "")")
        #expect(rig.origin.requests == 2)
    }

    @Test func `an image that waited for the disk survives a kill right after`() throws {
        let rig = try EndToEndRig(Self.signing, script: ScriptedOrigin.pictures(["a.png": picture]))
        let answer = try rig.get(url(rig, "w=10", "format=png", "wait-store=1"))
        #expect(answer.status == 200)
        #expect(answer["Cache-Status"] == "edgeprint; fwd=uri-miss; stored")
        try rig.restartAfterKill(Self.signing)
        let again = try rig.get("/photos/a.png?w=10&format=png")
        #expect(again["Cache-Status"] == "edgeprint; hit; detail=disk" && again.body == answer.body)
        #expect(rig.origin.requests == 1)
    }

    @Test func `wait-store tells of an image that is not stored`() throws {
        let rig = try EndToEndRig(
            script: ScriptedOrigin.pictures(["a.png": picture], fields: ["Cache-Control: no-store"])
        )
        try guarded(rig)
        let answer = try rig.get("/photos/a.png?w=10", [("Cache-Control", "wait-store"), Self.token])
        #expect(answer.status == 200 && answer["Cache-Status"] == "edgeprint; fwd=uri-miss; stored=?0")
        let ignored = try rig.get("/photos/a.png?w=10", [("Cache-Control", "wait-store")])
        // The state of the first response may be alive, and then needs validation.
        #expect(ignored["Cache-Status"]?.contains("stored") == false)
    }
}
