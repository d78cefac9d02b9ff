import LinuxSystem
import TestSupport
import Testing

@testable import HTTPCache
@testable import ImagePipeline

/// Changes made while stored failures are being read take precedence over them.
@Suite(.timeLimit(.minutes(1)))
struct NegativeRestorationTests {
    /// Stores failures in a dictionary.
    private final class Keeper: FailureKeeping {
        let kept: Lock<[CacheKey: KeptFailure]>

        init(_ failures: [KeptFailure]) {
            kept = Lock(Dictionary(uniqueKeysWithValues: failures.map { ($0.key, $0) }))
        }

        func keep(_ failure: KeptFailure) { kept.withLock { $0[failure.key] = failure } }
        func discardFailure(_ key: CacheKey) { kept.withLock { $0[key] = nil } }
        func keptFailures(limit: Int) -> [KeptFailure] {
            Array(kept.withLock { $0.values.sorted { $0.failures > $1.failures } }.prefix(limit))
        }
        var names: [String] { kept.withLock { $0.values.map(\.url).sorted() } }
    }

    private static func failure(_ name: String, plan: String? = nil, order: Int = 1, until: Int64 = 1100) -> KeptFailure
    {
        let origin = CacheKey(hashing: name)
        return KeptFailure(
            key: plan.map { CacheKey(hashing: name + $0) } ?? origin,
            origin: origin,
            source: "photos",
            identity: "http://origin.test/" + name,
            url: name + (plan ?? ""),
            plan: plan,
            kind: plan == nil ? .missing : .undecodable,
            word: plan == nil ? "status" : "broken",
            payload: plan == nil ? "404" : "bad",
            failures: order,
            until: until,
            hasStored: plan != nil
        )
    }

    private let time = ManualTime(wallSeconds: 1000)

    private func cache(_ keeper: Keeper, entries: Int = 100) -> NegativeCache<PipelineError> {
        NegativeCache<PipelineError>(policy: FailurePolicy(entries: entries), time: time, keeper: keeper)
    }

    @Test func `restores unexpired failures, and drops the others`() throws {
        let keeper = Keeper([Self.failure("a"), Self.failure("old", until: 1000), Self.failure("b", plan: "w=1")])
        let cache = cache(keeper)
        #expect(cache.isRestoring)
        cache.restore()
        #expect(!cache.isRestoring)
        #expect(keeper.names == ["a", "bw=1"])
        #expect(cache.list(limit: 9).map(\.url).sorted() == ["a", "bw=1"])
        #expect(cache.list(limit: 9).map(\.secondsLeft) == [100, 100])
    }

    @Test func `a success, another body or a purge meanwhile supersedes a restored failure`() throws {
        let keeper = Keeper([
            Self.failure("a"), Self.failure("b", plan: "w=1"), Self.failure("c"), Self.failure("d"),
        ])
        let cache = cache(keeper)
        cache.forget(CacheKey(hashing: "a"))
        cache.forgetVariants(of: CacheKey(hashing: "b"))
        cache.remove(.originals([CacheKey(hashing: "c")]))
        cache.restore()
        #expect(cache.list(limit: 9).map(\.url) == ["d"])
        #expect(keeper.names == ["d"])
    }

    @Test func `a purge drops failures that it may select`() throws {
        let keeper = Keeper([Self.failure("a")])
        let cache = cache(keeper)
        cache.remove(.tags(["blue"]))
        cache.restore()
        #expect(cache.statistics.entries == 0)
        #expect(keeper.names == [])
    }

    @Test func `drops failures that occurred under another configuration`() throws {
        let keeper = Keeper([Self.failure("old")])
        let cache = NegativeCache<PipelineError>(policy: FailurePolicy(), time: time, keeper: keeper)
        var policy = FailurePolicy()
        policy.configuration = "new"
        cache.setPolicy(policy)
        cache.restore()
        #expect(cache.statistics.entries == 0 && keeper.names == [])
        let key = CacheKey(hashing: "a")
        cache.record(key, .originStatus(404), about: PurgeSubject(origin: key, source: "photos"), url: "a")
        #expect(keeper.kept.withLock { $0[key]?.configuration } == "new")
    }

    @Test func `restores only the newest failures, up to its bound`() throws {
        let keeper = Keeper((1...20).map { Self.failure("\($0)", order: $0) })
        let cache = cache(keeper, entries: 5)
        cache.restore()
        #expect(Set(cache.list(limit: 99).map(\.url)) == ["16", "17", "18", "19", "20"])
    }

    @Test func `every cached error round-trips`() throws {
        let errors: [PipelineError] = [
            .originStatus(404), .originNotFound, .originUnreachable("a"), .originTimeout(""), .originProtocol("b c"),
            .addressRefused("loopback"), .sourceTooLarge(limit: 7), .notAnImage("html"), .broken("bad"),
            .refused("big"), .refused("crop: leaves nothing", parameter: "crop"), .refused("", parameter: "w"),
            .broken("mask: cut short", parameter: "mask"), .crashedDecoder, .transformTimeout,
        ]
        for error in errors {
            let text = try #require(error.text)
            #expect(PipelineError(word: text.word, payload: text.payload) == error)
            #expect(error.traits.failureClass != nil)
        }
        for error in [PipelineError.cancelled, .workerLost, .notCached, .overloaded("x")] { #expect(error.text == nil) }
        #expect(PipelineError(word: "status", payload: "99999") == nil)
        #expect(PipelineError(word: "other", payload: "") == nil)
        #expect(PipelineError(word: "refused-by", payload: "crop") == nil)
        // A name that would be read back as another is not kept.
        let text = try #require(PipelineError.refused("x", parameter: "a b").text)
        #expect(PipelineError(word: text.word, payload: text.payload) == .refused("x"))
    }
}
