import HTTPSemantics
import LinuxSystem
import TestSupport
import Testing

@testable import HTTPCache
@testable import ImagePipeline

/// Which requests receive the interim responses (1xx) of a raw source's origin.
@Suite(.timeLimit(.minutes(1)))
struct RawInterimSharingTests {
    private static let fresh = ["Cache-Control: max-age=60"]

    private static func hint(_ fields: String...) -> InterimResponse {
        InterimResponse(status: 103, fields: RawRig.lines(fields))
    }

    private func respond(_ rig: RawRig, _ load: ScriptedLoader.Load, _ fields: [String] = fresh, status: Int = 200) {
        let now = rig.time.wallSeconds
        load.respond(
            FetchedResponse(
                status: status,
                fields: RawRig.lines(fields),
                content: .bytes([1]),
                requestTime: now,
                responseTime: now
            )
        )
    }

    @Test func `only the request that caused the load receives them`() throws {
        let rig = try RawRig()
        let seen = Signal<[Int]>([])
        let done = Signal(0)
        for client in 0..<3 {
            _ = rig.proxy.load(RawRig.request("a"), interim: { _ in seen.update { $0.append(client) } }) { _ in
                done.update { $0 += 1 }
            }
        }
        let load = try #require(try rig.loader.wait(for: 1).last)
        load.fetch.interim?(Self.hint())
        load.fetch.interim?(Self.hint())
        #expect(seen.value.count == 2 && Set(seen.value).count == 1)
        respond(rig, load)
        try done.wait { $0 == 3 }
        #expect(rig.loader.all.count == 1)
        // A stored response has none, and one after the final response is dropped.
        load.fetch.interim?(Self.hint())
        #expect(try rig.ask(RawRig.request("a")).cacheStatus == .hit(.memory))
        #expect(seen.value.count == 2)
    }

    @Test func `a client that has left receives none, and those who wait in its place receive none either`() throws {
        let rig = try RawRig()
        let seen = Signal<[Int]>([])
        let done = Signal(0)
        let leader = rig.proxy.load(RawRig.request("a"), interim: { _ in seen.update { $0.append(1) } }) { _ in }
        let load = try #require(try rig.loader.wait(for: 1).last)
        _ = rig.proxy.load(RawRig.request("a"), interim: { _ in seen.update { $0.append(2) } }) { _ in
            done.update { $0 += 1 }
        }
        leader.cancel()
        load.fetch.interim?(Self.hint())
        respond(rig, load)
        try done.wait { $0 == 1 }
        #expect(seen.value.isEmpty)
    }

    @Test func `they have end-to-end fields only, and change nothing in the cache`() throws {
        let rig = try RawRig()
        let seen = Signal<[InterimResponse]>([])
        let done = Signal(false)
        _ = rig.proxy.load(RawRig.request("a"), interim: { response in seen.update { $0.append(response) } }) { _ in
            done.update { $0 = true }
        }
        let load = try #require(try rig.loader.wait(for: 1).last)
        load.fetch.interim?(
            Self.hint(
                "Link: </a>",
                "Connection: X-Own",
                "X-Own: 1",
                "Keep-Alive: 5",
                "Content-Length: 3",
                "Transfer-Encoding: chunked",
                "Cache-Control: no-store",
                "ETag: \"i\"",
                "X: y"
            )
        )
        respond(rig, load)
        try done.wait { $0 }
        let response = try #require(seen.value.first)
        #expect(response.status == 103)
        #expect(response.fields.lines.map(\.name) == ["Link", "Cache-Control", "ETag", "X"])
        let stored = try rig.ask(RawRig.request("a"))
        #expect(stored.cacheStatus == .hit(.memory) && stored.fields["link"] == nil && stored.fields["etag"] == nil)
    }

    @Test func `the fields of another host's are confined`() throws {
        let rig = try RawRig()
        let seen = Signal<[InterimResponse]>([])
        var rule = SourceRule(name: "x", location: .remote)
        rule.isRaw = true
        let request = CacheRequest(
            method: "GET",
            origin: OriginRequest(source: rule, at: "http://x.test/a"),
            fields: FieldLines()
        )
        _ = rig.proxy.load(request, interim: { response in seen.update { $0.append(response) } }) { _ in }
        let load = try #require(try rig.loader.wait(for: 1).last)
        load.fetch.interim?(Self.hint("Content-Security-Policy: none"))
        #expect(seen.value.first?.fields["content-security-policy"] == "sandbox")
        load.cancel()
    }

    @Test func `a validation passes them on, a background refresh does not`() throws {
        let rig = try RawRig()
        let seen = Signal(0)
        let stale = ["Cache-Control: max-age=60, stale-while-revalidate=60", "Age: 90", "ETag: \"a\""]
        _ = try rig.ask(RawRig.request("a"), stale, body: "one")
        let done = Signal(0)
        _ = rig.proxy.load(RawRig.request("a"), interim: { _ in seen.update { $0 += 1 } }) { _ in
            done.update { $0 += 1 }
        }
        try done.wait { $0 == 1 }
        let refresh = try #require(try rig.loader.wait(for: 2).last)
        #expect(refresh.fetch.interim == nil)
        respond(rig, refresh, ["Cache-Control: max-age=60", "Age: 90", "ETag: \"a\""], status: 304)
        _ = rig.proxy.load(RawRig.request("a"), interim: { _ in seen.update { $0 += 1 } }) { _ in
            done.update { $0 += 1 }
        }
        let validation = try #require(try rig.loader.wait(for: 3).last)
        validation.fetch.interim?(Self.hint())
        respond(rig, validation, ["Cache-Control: max-age=60", "ETag: \"a\""], status: 304)
        try done.wait { $0 == 2 }
        #expect(seen.value == 1)
    }
}
