import HTTPSemantics
import LinuxSystem
import TestSupport
import Testing
import OriginTransfer

@testable import HTTPCache
@testable import ImagePipeline

/// Parts of a client's response that other clients must not receive.
@Suite(.timeLimit(.minutes(1)))
struct RawSharingTests {
    private static let fresh = "Cache-Control: max-age=60"
    private static let stale = [fresh, "Age: 90", "ETag: \"a\"", "X-For: all"]

    @Test func `a response with cookies is forwarded but neither stored nor served from the cache`() throws {
        let rig = try RawRig()
        let cookies = [Self.fresh, "Set-Cookie: a=b", "Set-Cookie: c=d"]
        for _ in 0..<2 {
            let answer = try rig.ask(RawRig.request(), cookies, body: "mine")
            #expect(answer.text == "mine" && answer.fields["set-cookie"] == "a=b, c=d")
        }
        #expect(rig.loader.all.count == 2)
        // Stored while the source allowed it.
        let storing = RawRig.request("b", setCookie: .store)
        _ = try rig.ask(storing, cookies, body: "mine")
        #expect(try rig.ask(storing).cacheStatus == .hit(.memory))
        #expect(try rig.ask(RawRig.request("b"), [Self.fresh], body: "for all").text == "for all")
        #expect(try rig.ask(storing).fields["set-cookie"] == nil)
    }

    @Test func `cookies that the origin marks private are not stored`() throws {
        let rig = try RawRig()
        let fields = ["Cache-Control: max-age=60, private=\"Set-Cookie\"", "Set-Cookie: a=b", "X-For: all"]
        #expect(try rig.ask(RawRig.request(), fields).fields["set-cookie"] == "a=b")
        let next = try rig.ask(RawRig.request())
        #expect(next.cacheStatus == .hit(.memory) && next.fields["set-cookie"] == nil && next.fields["x-for"] == "all")
    }

    @Test func `cookies of a 304 are sent to its client only`() throws {
        let rig = try RawRig()
        _ = try rig.ask(RawRig.request(), Self.stale, body: "one")
        let renewed = try rig.ask(RawRig.request(), [Self.fresh, "Set-Cookie: a=b", "X-For: all 2"], status: 304)
        #expect(renewed.status == 200 && renewed.text == "one" && renewed.fields["set-cookie"] == "a=b")
        let next = try rig.ask(RawRig.request())
        #expect(next.cacheStatus == .hit(.memory) && next.fields["set-cookie"] == nil)
        #expect(next.fields["x-for"] == "all 2")
    }

    @Test func `a 304 to a request with Authorization applies to that request only`() throws {
        let rig = try RawRig()
        let authorized = RawRig.request("a", ["Authorization: x"])
        _ = try rig.ask(RawRig.request(), Self.stale, body: "one")
        let own = try rig.ask(authorized, [Self.fresh, "ETag: \"a\"", "X-For: x"], status: 304)
        #expect(own.text == "one" && own.fields["x-for"] == "x")
        let other = try rig.ask(RawRig.request(), ["Cache-Control: max-age=0", "ETag: \"a\""], status: 304)
        #expect(
            other.cacheStatus == .forwarded(.stale, status: 304, collapsed: false) && other.fields["x-for"] == "all"
        )
        // Unless the origin allows it (RFC 9111 §3.5).
        _ = try rig.ask(authorized, [Self.fresh + ", public", "ETag: \"a\"", "X-For: anybody"], status: 304)
        #expect(try rig.ask(RawRig.request()).fields["x-for"] == "anybody")
    }

    @Test(arguments: ["private, max-age=60", "no-store"])
    func `a 304 with private or no-store removes the stored response`(control: String) throws {
        let rig = try RawRig()
        _ = try rig.ask(RawRig.request(), Self.stale, body: "one")
        let own = try rig.ask(RawRig.request(), ["Cache-Control: \(control)", "X-For: me"], status: 304)
        #expect(own.text == "one" && own.fields["x-for"] == "me")
        #expect(try rig.ask(RawRig.request(), [Self.fresh], body: "two").text == "two")
        #expect(rig.loader.all.last?.fetch.exchange?.fields.contains("if-none-match") == false)
    }

    @Test func `HEAD with Authorization does not affect other clients`() throws {
        let rig = try RawRig()
        _ = try rig.ask(RawRig.request(), Self.stale, body: "one")
        let head = RawRig.request("a", ["Authorization: x", "Cache-Control: max-age=1"], method: "HEAD")
        _ = try rig.ask(head, [Self.fresh, "ETag: \"a\"", "X-For: x"])
        let other = try rig.ask(RawRig.request(), ["Cache-Control: max-age=60", "ETag: \"a\""], status: 304)
        #expect(other.fields["x-for"] == "all")
    }

    @Test func `requests with Authorization share no flight`() throws {
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

    @Test func `requests that waited for another one's response are collapsed, unless it does not match them`() throws {
        let rig = try RawRig()
        let answers = Signal<[String: CacheStatus]>([:])
        for (name, language) in [("first", "en"), ("second", "en"), ("other", "de")] {
            _ = rig.proxy.load(RawRig.request("a", ["Accept-Language: \(language)"])) { result in
                answers.update { $0[name] = (try? result.get())?.cacheStatus }
            }
            // The first one makes the request to the origin.
            if name == "first" { _ = try rig.loader.wait(for: 1) }
        }
        try waitWhile(rig.proxy.inProgress(limit: 1).oldest.first?.waiters != 3)
        for count in 1...2 {
            try #require(try rig.loader.wait(for: count).last).respond(
                FetchedResponse(
                    status: 200,
                    fields: RawRig.lines([Self.fresh, "Vary: Accept-Language"]),
                    content: .bytes([1]),
                    requestTime: RawRig.now,
                    responseTime: RawRig.now
                )
            )
        }
        try answers.wait { $0.count == 3 }
        #expect(answers.value["first"] == .miss)
        #expect(answers.value["second"] == .collapsedMiss)
        #expect(answers.value["other"] == .forwarded(.varyMiss, status: 200, collapsed: false))
        let hit = try rig.ask(RawRig.request("a", ["Accept-Language: en"]))
        #expect(hit.cacheStatus == .hit(.memory))
    }

    @Test func `a range of an uncached response fetches the whole once, for all concurrent ranges`() throws {
        let rig = try RawRig()
        let parts = Signal<[String]>([])
        for range in ["bytes=0-1", "bytes=2-3", "bytes=8-"] {
            _ = rig.proxy.load(RawRig.request("a", ["Range: \(range)"])) { result in
                guard let answer = try? result.get() else { return }
                parts.update { $0.append(String(decoding: answer.part, as: UTF8.self)) }
            }
        }
        let load = try #require(try rig.loader.wait(for: 1).last)
        #expect(load.fetch.exchange?.fields.contains("range") == false)
        #expect(load.fetch.source.limits.sourceBytes == CacheExchange<OriginRequest>.widest)
        load.respond(
            FetchedResponse(
                status: 200,
                fields: RawRig.lines([Self.fresh]),
                content: .bytes(Array("0123456789".utf8)),
                requestTime: RawRig.now,
                responseTime: RawRig.now
            )
        )
        try parts.wait { $0.count == 3 }
        #expect(Set(parts.value) == ["01", "23", "89"] && rig.loader.all.count == 1)
    }

    @Test func `ranges of a response too large to fetch whole are forwarded, and not retried whole for a minute`()
        throws
    {
        let rig = try RawRig()
        let request = RawRig.request("a", ["Range: bytes=0-1"])
        for asked in [2, 3] {
            let part = Signal<String?>(nil)
            _ = rig.proxy.load(request) { result in part.update { $0 = (try? result.get())?.text } }
            if asked == 2 { try #require(try rig.loader.wait(for: 1).last).fail(.sourceTooLarge(limit: 1)) }
            let load = try #require(try rig.loader.wait(for: asked).last)
            #expect(load.fetch.exchange?.fields["range"] == "bytes=0-1")
            load.respond(
                FetchedResponse(
                    status: 206,
                    fields: RawRig.lines([Self.fresh, "Content-Range: bytes 0-1/99"]),
                    content: .bytes(Array("01".utf8)),
                    requestTime: RawRig.now,
                    responseTime: RawRig.now
                )
            )
            try part.wait { $0 == "01" }
        }
    }
}
