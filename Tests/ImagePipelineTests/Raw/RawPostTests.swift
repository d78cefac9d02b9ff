import CacheTestSupport
import HTTPSemantics
import LinuxSystem
import TestSupport
import Testing

@testable import HTTPCache
@testable import ImagePipeline

/// Responses to POST that are reused for GET and HEAD (RFC 9110 §9.3.3).
@Suite(.timeLimit(.minutes(1)))
struct RawPostTests {
    private static let same = "Content-Location: http://x.test/a"

    private func post(
        _ rig: RawRig,
        _ fields: [String],
        status: Int = 200,
        to request: [String] = [],
        method: String = "POST"
    )
        throws
    {
        let request = RawRig.request("a", request, method: method)
        let answer = try rig.send(request, [PartAnswer(status: status, fields: fields, body: "posted")]).answer
        #expect(answer.text == "posted" && answer.status == status)
    }

    @Test(arguments: [same, "Content-Location: /a", "Content-Location: a", "Content-Location: ?"], [false, true])
    func `a response that is the target's representation answers GET and HEAD, and no POST`(
        location: String,
        isOnDisk: Bool
    ) throws {
        let rig = try RawRig()
        _ = try rig.send(RawRig.request(), [.whole("before")])
        try post(rig, ["Cache-Control: max-age=60", location])
        guard location != "Content-Location: ?" else {
            // The query is part of the URL.
            return #expect(try rig.send(RawRig.request(), [.whole("after")]).answer.text == "after")
        }
        try rig.settle()
        if isOnDisk { try rig.restart() }
        let get = try rig.ask(RawRig.request())
        #expect(get.status == 200 && get.text == "posted")
        #expect(try rig.ask(RawRig.request("a", method: "HEAD")).contentLength == 6)
        let before = rig.loader.all.count
        try post(rig, ["Cache-Control: max-age=60", location])
        #expect(rig.loader.all.count == before + 1)
    }

    @Test(
        arguments: [
            (["Cache-Control: max-age=60"], 200, [], "POST"), ([same], 200, [], "POST"),
            (["Cache-Control: max-age=60", "Content-Location: /b"], 200, [], "POST"),
            (["Cache-Control: max-age=60", "Content-Location: http://y.test/a"], 200, [], "POST"),
            (["Cache-Control: max-age=0", same], 200, [], "POST"),
            (["Cache-Control: private, max-age=60", same], 200, [], "POST"),
            (["Last-Modified: Tue, 15 Nov 1994 08:12:31 GMT", same], 200, [], "POST"),
            (["Cache-Control: max-age=60", same], 201, [], "POST"),
            (["Cache-Control: max-age=60", same], 500, [], "POST"),
            (["Cache-Control: max-age=60", same, "Set-Cookie: a=b"], 200, [], "POST"),
            (["Cache-Control: max-age=60", same, "Vary: *"], 200, [], "POST"),
            (["Cache-Control: max-age=60", same], 200, ["Authorization: x"], "POST"),
            (["Cache-Control: max-age=60", same], 200, ["Cache-Control: no-store"], "POST"),
            (["Cache-Control: max-age=60", same], 200, [], "PUT"),
            (["Cache-Control: max-age=60", same], 200, [], "PATCH"),
        ] as [([String], Int, [String], String)]
    )
    func `any other response is not stored`(fields: [String], status: Int, request: [String], method: String) throws {
        let rig = try RawRig()
        try post(rig, fields, status: status, to: request, method: method)
        #expect(try rig.send(RawRig.request(), [.whole("after")]).answer.text == "after")
    }

    @Test func `a response that another unsafe request overtakes is not stored`() throws {
        let rig = try RawRig()
        let done = Signal<Int>(0)
        _ = rig.proxy.load(RawRig.request("a", method: "POST")) { _ in done.update { $0 += 1 } }
        let load = try #require(try rig.loader.wait(for: 1).last)
        try post(rig, [], method: "DELETE")
        load.respond(
            FetchedResponse(
                status: 200,
                fields: RawRig.lines(["Cache-Control: max-age=60", Self.same]),
                content: .bytes(Array("old".utf8)),
                requestTime: RawRig.now,
                responseTime: RawRig.now
            )
        )
        try done.wait { $0 == 1 }
        #expect(try rig.send(RawRig.request(), [.whole("after")]).answer.text == "after")
    }
}
