import CacheTestSupport
import HTTPSemantics
import LinuxSystem
import OriginTransfer
import TestSupport
import Testing

@testable import HTTPCache
@testable import ImagePipeline

/// Partial responses that are stored, reused, combined and completed (RFC 9111 §3.3, §3.4).
@Suite(.timeLimit(.minutes(1)))
struct RawPartsTests {
    /// The length of a representation that is too large to be fetched for a range.
    private static let large = 1 << 30
    private static let fresh = ["Cache-Control: max-age=60", "ETag: \"a\""]

    @Test func `ranges within a stored part are answered from it`() throws {
        let rig = try RawRig()
        let first = try rig.send(RawRig.own("2-7"), [.part(2..<8, of: Self.large)])
        #expect(first.answer.status == 206 && first.answer.sentText == "234567")
        #expect(first.sent[0]["range"] == "bytes=2-7" && first.sent[0]["if-range"] == nil)
        for (range, text) in [("2-7", "234567"), ("3-4", "34"), ("7-7", "7")] {
            let answer = try rig.ask(RawRig.range(range))
            #expect(answer.status == 206 && answer.sentText == text && answer.cacheStatus == .hit(.memory))
            #expect(answer.fields["content-range"] == "bytes \(range)/\(Self.large)")
            #expect(answer.fields["etag"] == "\"a\"" && answer.age == 0)
        }
        let condition = try rig.ask(RawRig.range("3-4", ["If-None-Match: \"a\""]))
        #expect(condition.status == 304 && condition.sentText.isEmpty)
        #expect(rig.loader.all.count == 1)
    }

    @Test func `a range that is not within a part is forwarded, and joined with it`() throws {
        let rig = try RawRig()
        _ = try rig.send(RawRig.own("0-3"), [.part(0..<4, of: Self.large)])
        let next = try rig.send(RawRig.range("2-7"), [.part(2..<8, of: Self.large)])
        #expect(next.answer.cacheStatus == .forwarded(.partial, status: 206, collapsed: false))
        #expect(next.sent[0]["range"] == "bytes=2-7" && next.answer.sentText == "234567")
        #expect(try rig.ask(RawRig.range("1-6")).sentText == "123456")
        let last = try rig.send(RawRig.range("-2"), [.part(Self.large - 2..<Self.large, of: Self.large)])
        #expect(last.answer.cacheStatus == .forwarded(.partial, status: 206, collapsed: false))
        #expect(try rig.ask(RawRig.range("-1")).cacheStatus == .hit(.memory))
        #expect(rig.loader.all.count == 3)
    }

    @Test func `parts that make up the whole are stored as a complete response`() throws {
        let rig = try RawRig()
        _ = try rig.send(RawRig.own("5-9"), [.part(5..<10)])
        _ = try rig.send(RawRig.own("0-4"), [.part(0..<5)])
        let whole = try rig.ask(RawRig.request())
        #expect(whole.status == 200 && whole.text == "0123456789" && whole.cacheStatus == .hit(.memory))
        #expect(whole.fields["content-range"] == nil)
        _ = try rig.send(RawRig.request("b", ["Range: bytes=0-", "Cache-Control: no-cache"]), [.part(0..<10)])
        #expect(try rig.ask(RawRig.request("b")).text == "0123456789")
    }

    @Test(
        arguments: [
            ("0-3", 0..<4, "bytes=4-", 4..<10), ("6-9", 6..<10, "bytes=0-5", 0..<6), ("4-5", 4..<6, "bytes=0-", 0..<10),
        ]
    )
    func `a request for the whole fetches what is missing`(
        stored: String,
        known: Range<Int>,
        asked: String,
        missing: Range<Int>
    ) throws {
        let rig = try RawRig()
        _ = try rig.send(RawRig.own(stored), [.part(known, of: 10, Self.fresh + ["A: 1", "B: 1"])])
        let whole = try rig.send(RawRig.request(), [.part(missing, of: 10, Self.fresh + ["A: 2"])])
        #expect(whole.sent[0]["range"] == asked && whole.sent[0]["if-range"] == "\"a\"")
        #expect(whole.answer.status == 200 && whole.answer.text == "0123456789")
        #expect(whole.answer.cacheStatus == .forwarded(.partial, status: 206, collapsed: false))
        #expect(whole.answer.fields["a"] == "2" && whole.answer.fields["b"] == "1")
        #expect(whole.answer.fields["content-range"] == nil)
        #expect(try rig.ask(RawRig.request()).cacheStatus == .hit(.memory))
        #expect(try rig.ask(RawRig.range("3-4")).sentText == "34")
    }

    @Test func `a range that is not within a part completes a small representation, once for all who wait`() throws {
        let rig = try RawRig()
        _ = try rig.send(RawRig.own("0-3"), [.part(0..<4)])
        let ranges = Signal<[String]>([])
        for range in ["2-5", "8-", "-1"] {
            _ = rig.proxy.load(RawRig.range(range)) { result in
                ranges.update { $0.append((try? result.get())?.sentText ?? "-") }
            }
        }
        let load = try #require(try rig.loader.wait(for: 2).last)
        #expect(
            load.fetch.exchange?.fields["range"] == "bytes=4-" && load.fetch.exchange?.fields["if-range"] == "\"a\""
        )
        load.respond(
            FetchedResponse(
                status: 206,
                fields: RawRig.lines(Self.fresh + ["Content-Range: bytes 4-9/10"]),
                content: .bytes(Array("456789".utf8)),
                requestTime: RawRig.now,
                responseTime: RawRig.now
            )
        )
        try ranges.wait { $0.count == 3 }
        #expect(Set(ranges.value) == ["2345", "89", "9"] && rig.loader.all.count == 2)
    }

    @Test func `the full response of a changed representation replaces the parts`() throws {
        let rig = try RawRig()
        _ = try rig.send(RawRig.own("0-3"), [.part(0..<4)])
        let whole = try rig.send(RawRig.request(), [.whole("other")])
        #expect(whole.answer.status == 200 && whole.answer.text == "other")
        #expect(try rig.ask(RawRig.range("0-1")).sentText == "ot" && rig.loader.all.count == 2)
    }

    @Test func `a date is a validator, too`() throws {
        let rig = try RawRig()
        let dated = ["Cache-Control: max-age=60", "Last-Modified: Tue, 15 Nov 1994 08:12:31 GMT"]
        _ = try rig.send(RawRig.own("0-3"), [.part(0..<4, of: 10, dated)])
        let whole = try rig.send(RawRig.request(), [.part(4..<10, of: 10, dated)])
        #expect(whole.sent[0]["if-range"] == "Tue, 15 Nov 1994 08:12:31 GMT" && whole.answer.text == "0123456789")
    }

    @Test func `If-Range of a client is compared with the stored validator`() throws {
        let rig = try RawRig()
        _ = try rig.send(RawRig.own("0-3"), [.part(0..<4)])
        #expect(try rig.ask(RawRig.range("0-1", ["If-Range: \"a\""])).sentText == "01")
        let other = try rig.send(RawRig.range("0-1", ["If-Range: \"b\""]), [.part(4..<10)])
        #expect(other.answer.status == 200 && other.answer.sentText == "0123456789")
        #expect(other.sent[0]["range"] == "bytes=4-" && other.sent[0]["if-range"] == "\"a\"")
    }

    @Test func `other requests are not answered from parts`() throws {
        let rig = try RawRig()
        _ = try rig.send(RawRig.own("0-3"), [.part(0..<4)])
        let only = "Cache-Control: only-if-cached"
        #expect(throws: PipelineError.self) { try rig.ask(RawRig.request("a", [only])) }
        #expect(try rig.ask(RawRig.range("0-1", [only])).sentText == "01")
        let head = try rig.ask(RawRig.request("a", method: "HEAD"), Self.fresh)
        #expect(head.cacheStatus == .forwarded(.partial, status: 200, collapsed: false))
        let several = try rig.send(RawRig.own("0-1,3-4"), [.whole("0123456789")])
        #expect(several.sent[0]["range"] == "bytes=0-1,3-4" && several.answer.status == 200)
    }

    @Test func `a stale part is validated with its range`() throws {
        let rig = try RawRig()
        _ = try rig.send(RawRig.own("0-3"), [.part(0..<4, of: Self.large)])
        rig.time.advance(seconds: 61)
        let renewed = try rig.send(RawRig.range("1-2"), [PartAnswer(status: 304, fields: Self.fresh, body: "")])
        #expect(renewed.sent[0]["if-none-match"] == "\"a\"" && renewed.sent[0]["range"] == "bytes=1-2")
        #expect(renewed.answer.status == 206 && renewed.answer.sentText == "12")
        #expect(try rig.ask(RawRig.range("0-3")).cacheStatus == .hit(.memory))
        rig.time.advance(seconds: 61)
        let changed = PartAnswer(
            fields: ["Cache-Control: max-age=60", "ETag: \"b\"", "Content-Range: bytes 1-2/9"],
            body: "xy"
        )
        #expect(try rig.send(RawRig.range("1-2"), [changed]).answer.sentText == "xy")
        #expect(try rig.ask(RawRig.range("2-2")).sentText == "y")
        // The range 0-3 was of the former representation, and the new one is small.
        let next = try rig.send(RawRig.range("0-3"), [.whole("0xy345678")])
        #expect(next.sent[0]["if-range"] == "\"b\"" && next.answer.sentText == "0xy3")
    }

    @Test func `a range that no longer exists removes the parts`() throws {
        let rig = try RawRig()
        _ = try rig.send(
            RawRig.own("4-7"),
            [.part(4..<8, of: Self.large, Self.fresh + ["Cache-Control: stale-if-error=600"])]
        )
        rig.time.advance(seconds: 61)
        let gone = PartAnswer(status: 416, fields: ["Content-Range: bytes */2", "Cache-Control: max-age=60"], body: "")
        #expect(try rig.send(RawRig.range("4-5"), [gone]).answer.status == 416)
        // Neither is a 416 stored for requests without the range.
        let next = try rig.send(RawRig.request(), [.whole("01")])
        #expect(next.sent[0]["range"] == nil && next.answer.text == "01")
    }

    @Test(arguments: ["412 If-Match: \"b\"", "416 Range: bytes=99-"])
    func `a response that depends on conditions or ranges is not stored`(text: String) throws {
        let rig = try RawRig()
        let request = RawRig.request("a", [String(text.dropFirst(4)), "Cache-Control: no-cache"])
        let status = try #require(Int(text.prefix(3)))
        let fields = ["Cache-Control: max-age=60"]
        #expect(try rig.send(request, [PartAnswer(status: status, fields: fields, body: "")]).answer.status == status)
        #expect(try rig.send(RawRig.request(), [.whole("all")]).answer.text == "all")
    }

    @Test func `a stale part stands in for a failing origin, for its ranges only`() throws {
        let rig = try RawRig()
        let fields = ["Cache-Control: max-age=60, stale-if-error=600", "ETag: \"a\""]
        _ = try rig.send(RawRig.own("0-3"), [.part(0..<4, of: Self.large, fields)])
        rig.time.advance(seconds: 61)
        let down = PartAnswer(status: 503, fields: [], body: "down")
        let answer = try rig.send(RawRig.range("0-1"), [down]).answer
        #expect(answer.sentText == "01" && answer.cacheStatus == .hit(.stale))
        #expect(try rig.send(RawRig.request(), [down]).answer.status == 503)
        #expect(try rig.send(RawRig.range("8-9"), [down]).answer.status == 503)
    }

    @Test func `parts survive a restart, with their fields`() throws {
        let rig = try RawRig()
        _ = try rig.send(RawRig.own("0-1"), [.part(0..<2, of: Self.large)])
        _ = try rig.send(RawRig.own("4-5"), [.part(4..<6, of: Self.large, Self.fresh + ["A: 1"])])
        try rig.settle()
        try rig.restart()
        let answer = try rig.ask(RawRig.range("4-5"))
        #expect(answer.sentText == "45" && answer.cacheStatus == .hit(.disk) && answer.fields["a"] == "1")
        #expect(answer.fields["content-range"] == "bytes 4-5/\(Self.large)")
        #expect(try rig.ask(RawRig.range("0-1")).sentText == "01")
        _ = try rig.send(RawRig.range("2-3"), [.part(2..<4, of: Self.large)])
        #expect(try rig.ask(RawRig.range("0-3")).sentText == "0123")
    }
}
