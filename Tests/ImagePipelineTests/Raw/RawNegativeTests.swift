import HTTPCache
import HTTPSemantics
import TestSupport
import Testing

@testable import ImagePipeline

/// The failures of a raw source's origin that are cached, and for which requests.
@Suite(.timeLimit(.minutes(1)))
struct RawNegativeTests {
    let rig: RawRig

    init() throws { rig = try RawRig() }

    private func request(_ fields: [String] = [], negative: Bool = true) -> CacheRequest<OriginRequest> {
        RawRig.request("a", fields, negative: negative)
    }

    /// The failure of a request that reaches no origin.
    private func remembered(_ request: CacheRequest<OriginRequest>) throws -> PipelineError? {
        let asked = rig.loader.all.count
        let result = Signal<Result<RawAnswer, PipelineError>?>(nil)
        _ = rig.proxy.load(request) { answer in result.update { $0 = answer } }
        try result.wait { $0 != nil }
        #expect(rig.loader.all.count == asked)
        guard case .failure(let error)? = result.value else { return nil }
        return error
    }

    @Test func `a failing origin is not contacted during its back-off`() throws {
        #expect(try rig.ask(request(), ["Retry-After: 30"], status: 503).status == 503)
        #expect(try remembered(request()) == .remembered(.originStatus(503), secondsLeft: 30))
        rig.time.advance(seconds: 30)
        #expect(try rig.ask(request(), ["Cache-Control: max-age=60"], body: "back").text == "back")
        #expect(try rig.ask(request()).text == "back")
    }

    @Test func `a denial is cached for a minute`() throws {
        #expect(try rig.ask(request(), [], status: 403).status == 403)
        #expect(try remembered(request()) == .remembered(.originStatus(403), secondsLeft: 60))
        rig.time.advance(seconds: 60)
        #expect(try rig.ask(request(), [], status: 403).status == 403)
    }

    @Test func `an unreachable origin is not contacted during its back-off`() throws {
        let result = Signal<Result<RawAnswer, PipelineError>?>(nil)
        _ = rig.proxy.load(request()) { answer in result.update { $0 = answer } }
        try #require(try rig.loader.wait(for: 1).last).fail(.originUnreachable("no connection"))
        try result.wait { $0 != nil }
        guard case .remembered(.originUnreachable, _)? = try remembered(request())?.bare else {
            Issue.record("the failure was not cached")
            return
        }
    }

    @Test(arguments: [404, 410])
    func `a 404 or 410 is stored for the lifetime of its class, with the origin's content`(status: Int) throws {
        #expect(try rig.ask(request(), [], status: status, body: "gone").text == "gone")
        let again = try rig.ask(request())
        #expect(again.status == status && again.text == "gone" && again.cacheStatus == .hit(.memory))
        rig.time.advance(seconds: 300)
        #expect(try rig.ask(request(), [], body: "back").text == "back")
    }

    @Test func `a failure is cached only for requests with the same fields`() throws {
        #expect(try rig.ask(request(["X-Break: 1"]), [], status: 500).status == 500)
        #expect(try remembered(request(["X-Break: 1"])) != nil)
        #expect(try rig.ask(request(), ["Cache-Control: max-age=60"], body: "fine").text == "fine")
    }

    @Test func `a stored response is served during the origin's back-off`() throws {
        _ = try rig.ask(request(), ["Cache-Control: max-age=60"], body: "stored")
        rig.time.advance(seconds: 61)
        #expect(try rig.ask(request(), [], status: 503).text == "stored")
        // The second is not sent at all.
        #expect(try rig.ask(request()).cacheStatus == .hit(.stale))
    }

    @Test(arguments: [403, 404, 429, 503])
    func `with negative off, each request is forwarded`(status: Int) throws {
        for _ in 0..<3 { #expect(try rig.ask(request(negative: false), [], status: status).status == status) }
        #expect(rig.loader.all.count == 3)
    }
}
