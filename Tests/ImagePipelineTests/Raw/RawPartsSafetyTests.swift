import CacheTestSupport
import HTTPSemantics
import LinuxSystem
import OriginTransfer
import TestSupport
import Testing

@testable import HTTPCache
@testable import ImagePipeline

/// Partial responses that must not be stored, combined or shared.
@Suite(.timeLimit(.minutes(1)))
struct RawPartsSafetyTests {
    private static let fresh = ["Cache-Control: max-age=60", "ETag: \"a\""]

    /// Whether a range is answered from the cache; otherwise the test fails if the origin is not asked.
    private func isStored(_ range: String, _ rig: RawRig, _ fields: [String] = []) throws -> Bool {
        let request = RawRig.range(range, fields + ["Cache-Control: only-if-cached"])
        return (try? rig.ask(request)) != nil
    }

    @Test(
        arguments: [
            ([], "Content-Range: bytes 2-5/10", "2345", true),
            (["ETag: W/\"a\""], "Content-Range: bytes 2-5/10", "2345", false),
            (["ETag: \"a\"", "ETag: \"b\""], "Content-Range: bytes 2-5/10", "2345", false),
            (["X: y"], "Content-Range: bytes 2-5/10", "2345", false),
            ([], "X: y", "2345", false), ([], "Content-Range: bytes 2-5/*", "2345", false),
            ([], "Content-Range: bytes 2-5/5", "2345", false), ([], "Content-Range: bytes 5-2/10", "2345", false),
            ([], "Content-Range: bytes 2-6/10", "2345", false), ([], "Content-Range: bytes 2-5/10", "234", false),
            ([], "Content-Range: bytes 2-5/10", "23456", false), ([], "Content-Range: bytes 2-5/10", "", false),
            ([], "Content-Range: bytes 0-3/10", "2345", false), ([], "Content-Range: bytes 4-7/10", "2345", false),
            ([], "Content-Range: items 2-5/10", "2345", false),
            ([], "Content-Range: bytes 2-5/10, bytes 2-5/10", "2345", false),
            // A subset of the range is a part of its own (RFC 9110 §15.3.7).
            ([], "Content-Range: bytes 3-4/10", "34", true),
        ] as [([String], String, String, Bool)]
    )
    func `a 206 is stored only with a strong validator and a Content-Range that its content and the request agree with`(
        validators: [String],
        contentRange: String,
        body: String,
        isStorable: Bool
    ) throws {
        let rig = try RawRig()
        let fields = [Self.fresh[0]] + (validators.isEmpty ? [Self.fresh[1]] : validators) + [contentRange]
        let answer = try rig.send(RawRig.own("2-5"), [PartAnswer(fields: fields, body: body)]).answer
        // The client receives it as it is.
        #expect(answer.status == 206 && answer.text == body)
        #expect(try isStored("3-4", rig) == isStorable)
        for range in ["2-6", "0-0", "0-9"] { #expect(try !isStored(range, rig)) }
    }

    @Test(
        arguments: [
            ["Cache-Control: no-store", "ETag: \"a\""], ["Cache-Control: private, max-age=60", "ETag: \"a\""],
            fresh + ["Vary: *"], fresh + ["Set-Cookie: a=b"], ["Cache-Control: max-age=0", "ETag: \"a\""],
        ]
    )
    func `a part is reused only as a whole response would be`(fields: [String]) throws {
        let rig = try RawRig()
        _ = try rig.send(RawRig.own("0-3"), [.part(0..<4, of: 10, fields)])
        #expect(try !isStored("0-1", rig))
    }

    @Test func `a part for a request with Authorization is stored only if the origin allows it`() throws {
        let rig = try RawRig()
        let request = RawRig.own("0-3", ["Authorization: x"])
        _ = try rig.send(request, [.part(0..<4)])
        #expect(try !isStored("0-1", rig))
        _ = try rig.send(request, [.part(0..<4, of: 10, Self.fresh + ["Cache-Control: public"])])
        #expect(try isStored("0-1", rig))
        // Nor are the parts completed for one client with another's credentials.
        let own = try rig.send(RawRig.request("a", ["Authorization: y"]), [.whole("mine", ["Cache-Control: private"])])
        #expect(own.sent[0]["range"] == nil && own.sent[0]["if-range"] == nil && own.answer.text == "mine")
        #expect(try isStored("0-1", rig))
    }

    @Test func `parts of several variants are kept apart`() throws {
        let rig = try RawRig()
        let fields = Self.fresh + ["Vary: Accept-Language"]
        _ = try rig.send(RawRig.own("0-3", ["Accept-Language: de"]), [.part(0..<4, of: 10, fields)])
        #expect(try isStored("0-1", rig, ["Accept-Language: de"]))
        #expect(try !isStored("0-1", rig, ["Accept-Language: en"]))
        _ = try rig.send(RawRig.own("4-9", ["Accept-Language: en"]), [.part(4..<10, of: 10, fields)])
        #expect(try !isStored("3-4", rig, ["Accept-Language: en"]))
        #expect(try !isStored("3-4", rig, ["Accept-Language: de"]))
    }

    @Test func `a 206 to a request without a range is passed on and not stored`() throws {
        // The client's range is not forwarded where the whole is requested for it.
        for request in [RawRig.range("0-3"), RawRig.request()] {
            let rig = try RawRig()
            let answer = try rig.send(request, [.part(0..<4)])
            #expect(answer.sent[0]["range"] == nil)
            #expect(answer.answer.status == 206 && answer.answer.text == "0123")
            #expect(try !isStored("0-1", rig))
            #expect(try rig.send(RawRig.request(), [.whole("all")]).sent[0]["range"] == nil)
        }
    }

    @Test(
        arguments: [
            .part(4..<8, of: 1 << 30, ["Cache-Control: max-age=60", "ETag: \"b\""]), .part(4..<8, of: 1 << 20),
            PartAnswer(fields: RawPartsSafetyTests.fresh + ["Content-Range: bytes 3-7/\(1 << 30)"], body: "X4567"),
            .part(4..<8, of: 1 << 30, RawPartsSafetyTests.fresh + ["Content-Encoding: gzip"]),
        ] as [PartAnswer]
    )
    func `a part of another representation replaces the stored ones`(next: PartAnswer) throws {
        let rig = try RawRig()
        _ = try rig.send(RawRig.own("0-3"), [.part(0..<4, of: 1 << 30)])
        #expect(try isStored("0-3", rig))
        _ = try rig.send(RawRig.own("3-7"), [next])
        #expect(try !isStored("0-1", rig) && isStored("4-7", rig))
    }

    @Test(
        arguments: [
            .part(4..<10, of: 10, ["Cache-Control: max-age=60", "ETag: \"b\""]),
            .part(4..<10, of: 10, ["Cache-Control: max-age=60"]),
            .part(4..<10, of: 10, ["Cache-Control: max-age=60", "ETag: W/\"a\""]), .part(4..<10, of: 11),
            .part(4..<9), .part(5..<10), .part(0..<10),
            PartAnswer(fields: RawPartsSafetyTests.fresh + ["Content-Range: bytes 4-9/10"], body: "45678"),
            PartAnswer(fields: RawPartsSafetyTests.fresh, body: "456789"),
            .part(4..<10, of: 10, RawPartsSafetyTests.fresh + ["Content-Encoding: gzip"]),
            PartAnswer(status: 304, fields: RawPartsSafetyTests.fresh, body: ""),
            PartAnswer(status: 416, fields: ["Content-Range: bytes */3"], body: ""),
        ] as [PartAnswer]
    )
    func `a rest that does not belong to the stored parts removes them, and the whole is requested`(rest: PartAnswer)
        throws
    {
        let rig = try RawRig()
        _ = try rig.send(RawRig.own("0-3"), [.part(0..<4)])
        let whole = try rig.send(RawRig.request(), [rest, .whole("all of it")])
        #expect(
            whole.sent[0]["range"] == "bytes=4-" && whole.sent[1]["range"] == nil && whole.sent[1]["if-range"] == nil
        )
        #expect(whole.answer.status == 200 && whole.answer.text == "all of it")
        #expect(try rig.ask(RawRig.range("0-2")).sentText == "all")
    }

    @Test func `different bytes in the overlap of a rest and a part remove the parts`() throws {
        let rig = try RawRig()
        _ = try rig.send(RawRig.own("4-5"), [.part(4..<6)])
        let rest = PartAnswer(fields: Self.fresh + ["Content-Range: bytes 0-9/10"], body: "0123X56789")
        let whole = try rig.send(RawRig.request(), [rest, .whole("0123X56789")])
        #expect(whole.sent[0]["range"] == "bytes=0-" && whole.answer.text == "0123X56789")
    }

    @Test func `a rest that must not be stored completes the response for its client only`() throws {
        let rig = try RawRig()
        _ = try rig.send(RawRig.own("0-3"), [.part(0..<4)])
        let own = ["Cache-Control: private", "ETag: \"a\"", "Set-Cookie: a=b"]
        let whole = try rig.send(RawRig.request(), [.part(4..<10, of: 10, own)])
        #expect(whole.answer.text == "0123456789" && whole.answer.fields["set-cookie"] == "a=b")
        #expect(try !isStored("0-1", rig))
        let next = try rig.send(RawRig.request(), [.whole("new")])
        #expect(next.answer.text == "new" && next.answer.fields["set-cookie"] == nil)
    }

    @Test func `a part does not replace a complete response`() throws {
        let rig = try RawRig()
        _ = try rig.send(RawRig.request(), [.whole("0123456789", Self.fresh)])
        let request = RawRig.request("a", ["Range: bytes=0-1", "If-Match: \"a\""])
        _ = try rig.send(request, [.part(0..<2)])
        #expect(try rig.ask(RawRig.request()).text == "0123456789")
    }

    static let selections: [PurgeSelection] = [
        .originals([RawRig.request().key]), .source("x"), .tags(["two"]), .all, .confirmedBefore(RawRig.now + 1),
    ]

    @Test(arguments: selections, [false, true])
    func `purges remove parts from both tiers`(selection: PurgeSelection, isOnDiskOnly: Bool) throws {
        let rig = try RawRig()
        _ = try rig.send(RawRig.own("0-3"), [.part(0..<4, of: 1 << 30, Self.fresh + ["Cache-Tag: one, two"])])
        if isOnDiskOnly {
            try rig.settle()
            try rig.restart()
        }
        let purge = Purge(selection, staleFrom: nil)
        #expect(rig.store.tombstone(purge))
        _ = rig.proxy.purge(purge)
        #expect(rig.store.remove(purge, completion: nil))
        #expect(try !isStored("0-1", rig))
        rig.flush()
        #expect(rig.store.statistics.originals.entries == 0)
    }

    @Test func `an unsafe request invalidates parts`() throws {
        let rig = try RawRig()
        _ = try rig.send(RawRig.own("0-3"), [.part(0..<4)])
        #expect(try isStored("0-1", rig))
        _ = try rig.send(RawRig.request("a", method: "DELETE"), [.whole("", [])])
        #expect(try !isStored("0-1", rig))
    }
}
