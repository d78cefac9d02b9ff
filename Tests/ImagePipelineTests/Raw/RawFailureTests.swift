import HTTPCache
import HTTPSemantics
import TestSupport
import Testing
import OriginTransfer

@testable import ImagePipeline

/// The failures of a raw source's origin that a stored response may replace.
@Suite(.timeLimit(.minutes(1)))
struct RawFailureTests {
    let rig: RawRig

    init() throws { rig = try RawRig() }

    private func fill(_ words: String = "max-age=60") throws {
        _ = try rig.ask(RawRig.request(), ["Cache-Control: \(words)", "ETag: \"1\""], body: "stored")
        rig.time.advance(seconds: 61)
    }

    @Test(arguments: [400, 402, 405, 414, 418, 429, 431, 500, 501, 503, 599])
    func `a stale response replaces a failure, for an hour by default`(status: Int) throws {
        try fill()
        rig.time.advance(seconds: 3_598)
        let stale = try rig.ask(RawRig.request(), [], status: status, body: "failed")
        #expect(stale.text == "stored" && stale.cacheStatus == .hit(.stale))
        rig.time.advance(seconds: 1)
        let failed = try rig.ask(RawRig.request(), ["ETag: \"2\"", "Cache-Control: max-age=0"], status: status)
        #expect(failed.status == status)
        // The failure does not replace the stored response.
        #expect(rig.loader.all.last?.fetch.exchange?.fields["if-none-match"] == "\"1\"")
        #expect(try rig.ask(RawRig.request(), [], status: 304).text == "stored")
    }

    @Test(arguments: ["must-revalidate", "proxy-revalidate", "s-maxage=60", "no-cache"])
    func `directives that forbid stale responses are obeyed`(words: String) throws {
        try fill("max-age=60, " + words)
        #expect(try rig.ask(RawRig.request(), [], status: 503).status == 503)
        #expect(try rig.ask(RawRig.request(), [], status: 304).text == "stored")
    }

    @Test(arguments: [404, 410, 451])
    func `a response that is gone is not served again`(status: Int) throws {
        try fill()
        #expect(try rig.ask(RawRig.request(), ["Cache-Control: no-store"], status: status).status == status)
        #expect(try rig.ask(RawRig.request(), [], status: 503).status == 503)
    }

    @Test(arguments: [401, 403])
    func `a denial is never replaced by a stale response, and removes nothing`(status: Int) throws {
        try fill("max-age=60, stale-while-revalidate=600")
        #expect(try rig.ask(RawRig.request(), [], status: status).text == "stored")
        try rig.settle()
        for _ in 0..<2 { #expect(try rig.ask(RawRig.request(), [], status: status).status == status) }
        #expect(try rig.ask(RawRig.request(), [], status: 304).text == "stored")
    }

    @Test func `a response that was never fresh is served stale only if its origin allows it`() throws {
        _ = try rig.ask(RawRig.request(), ["ETag: \"1\""], body: "mine")
        #expect(try rig.ask(RawRig.request(), [], status: 503).status == 503)
        let words = ["Cache-Control: stale-if-error=60", "ETag: \"1\""]
        _ = try rig.ask(RawRig.request("b"), words, body: "allowed")
        #expect(try rig.ask(RawRig.request("b"), [], status: 503).text == "allowed")
    }
}
