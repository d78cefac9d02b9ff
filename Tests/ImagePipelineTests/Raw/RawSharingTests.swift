import HTTPSemantics
import LinuxSystem
import TestSupport
import Testing
import OriginTransfer

@testable import HTTPCache
@testable import ImagePipeline

/// What of one client's answers others never get.
@Suite(.timeLimit(.minutes(1)))
struct RawSharingTests {
    private static let fresh = "Cache-Control: max-age=60"
    private static let stale = [fresh, "Age: 90", "ETag: \"a\"", "X-For: all"]

    @Test func `an answer with cookies is passed on and not stored, and none that was stored is used`() throws {
        let rig = try RawRig()
        let cookies = [Self.fresh, "Set-Cookie: a=b", "Set-Cookie: c=d"]
        for _ in 0..<2 {
            let answer = try rig.ask(RawRig.request(), cookies, body: "mine")
            #expect(answer.text == "mine" && answer.fields["set-cookie"] == "a=b, c=d")
        }
        #expect(rig.loader.all.count == 2)
        // Stored while the source said so.
        let storing = RawRig.request("b", setCookie: .store)
        _ = try rig.ask(storing, cookies, body: "mine")
        #expect(try rig.ask(storing).cacheStatus == .hit(.memory))
        #expect(try rig.ask(RawRig.request("b"), [Self.fresh], body: "for all").text == "for all")
        #expect(try rig.ask(storing).fields["set-cookie"] == nil)
    }

    @Test func `cookies that the origin calls private are taken out of what is stored`() throws {
        let rig = try RawRig()
        let fields = ["Cache-Control: max-age=60, private=\"Set-Cookie\"", "Set-Cookie: a=b", "X-For: all"]
        #expect(try rig.ask(RawRig.request(), fields).fields["set-cookie"] == "a=b")
        let next = try rig.ask(RawRig.request())
        #expect(next.cacheStatus == .hit(.memory) && next.fields["set-cookie"] == nil && next.fields["x-for"] == "all")
    }

    @Test func `cookies of a 304 go to its client alone`() throws {
        let rig = try RawRig()
        _ = try rig.ask(RawRig.request(), Self.stale, body: "one")
        let renewed = try rig.ask(RawRig.request(), [Self.fresh, "Set-Cookie: a=b", "X-For: all 2"], status: 304)
        #expect(renewed.status == 200 && renewed.text == "one" && renewed.fields["set-cookie"] == "a=b")
        let next = try rig.ask(RawRig.request())
        #expect(next.cacheStatus == .hit(.memory) && next.fields["set-cookie"] == nil)
        #expect(next.fields["x-for"] == "all 2")
    }

    @Test func `what a 304 says to a request with Authorization is for that one alone`() throws {
        let rig = try RawRig()
        let authorized = RawRig.request("a", ["Authorization: x"])
        _ = try rig.ask(RawRig.request(), Self.stale, body: "one")
        let own = try rig.ask(authorized, [Self.fresh, "ETag: \"a\"", "X-For: x"], status: 304)
        #expect(own.text == "one" && own.fields["x-for"] == "x")
        let other = try rig.ask(RawRig.request(), ["Cache-Control: max-age=0", "ETag: \"a\""], status: 304)
        #expect(
            other.cacheStatus == .forwarded(.stale, status: 304, collapsed: false) && other.fields["x-for"] == "all"
        )
        // Unless the origin says so (RFC 9111 §3.5).
        _ = try rig.ask(authorized, [Self.fresh + ", public", "ETag: \"a\"", "X-For: anybody"], status: 304)
        #expect(try rig.ask(RawRig.request()).fields["x-for"] == "anybody")
    }

    @Test(arguments: ["private, max-age=60", "no-store"])
    func `what a 304 calls private, or not to be stored, is stored no longer`(control: String) throws {
        let rig = try RawRig()
        _ = try rig.ask(RawRig.request(), Self.stale, body: "one")
        let own = try rig.ask(RawRig.request(), ["Cache-Control: \(control)", "X-For: me"], status: 304)
        #expect(own.text == "one" && own.fields["x-for"] == "me")
        #expect(try rig.ask(RawRig.request(), [Self.fresh], body: "two").text == "two")
        #expect(rig.loader.all.last?.fetch.exchange?.fields.contains("if-none-match") == false)
    }

    @Test func `HEAD with Authorization changes nothing that others get`() throws {
        let rig = try RawRig()
        _ = try rig.ask(RawRig.request(), Self.stale, body: "one")
        let head = RawRig.request("a", ["Authorization: x", "Cache-Control: max-age=1"], method: "HEAD")
        _ = try rig.ask(head, [Self.fresh, "ETag: \"a\"", "X-For: x"])
        let other = try rig.ask(RawRig.request(), ["Cache-Control: max-age=60", "ETag: \"a\""], status: 304)
        #expect(other.fields["x-for"] == "all")
    }

    @Test func `requests with Authorization wait for nobody's answer, and nobody waits for theirs`() throws {
        let rig = try RawRig()
        let answers = Signal<[String]>([])
        for name in ["x", "y", ""] {
            let fields = name.isEmpty ? [] : ["Authorization: \(name)"]
            _ = rig.proxy.load(RawRig.request("a", fields)) { result in
                answers.update { $0.append((try? result.get())?.text ?? "-") }
            }
        }
        for (index, load) in try rig.loader.wait(for: 3).enumerated() {
            let now = rig.time.wallSeconds
            let lines = RawRig.lines([Self.fresh])
            load.respond(
                FetchedResponse(
                    status: 200,
                    fields: lines,
                    content: .bytes([UInt8(48 + index)]),
                    requestTime: now,
                    responseTime: now
                )
            )
        }
        try answers.wait { $0.count == 3 }
        #expect(Set(answers.value) == ["0", "1", "2"])
    }
}
