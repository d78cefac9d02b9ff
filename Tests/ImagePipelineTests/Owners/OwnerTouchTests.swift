import CacheTestSupport
import HTTPCache
import HTTPSemantics
import ImagePlan
import LinuxSystem
import OriginTransfer
import TestSupport
import Testing

@testable import ImagePipeline

/// What an owner has said, on a node that may not know all purges, by a clock that the test advances.
@Suite(.timeLimit(.minutes(1)))
struct OwnerTouchTests {
    /// Answers each question with a variant of one byte, and counts them.
    private final class Owners: OwnerAsking {
        struct Handle: LoadHandle {
            func cancel() {}
            func waitersChanged() {}
            var received: Int { 0 }
            var expected: Int? { nil }
        }

        let keeps: Int64 = 10
        let asked = Lock(0)
        let now: Int64

        init(now: Int64) { self.now = now }

        func ask(
            _ request: VariantRequest,
            _ question: OwnerQuestion,
            _ context: LoadContext,
            completion: @escaping @Sendable (OwnerReply) -> Void
        ) -> (any LoadHandle)? {
            asked.withLock { $0 += 1 }
            let record = OriginRecord(
                key: request.origin.key,
                source: "photos",
                url: "http://a.example/a.png",
                digest: CacheKey(hashing: "original"),
                length: 10,
                header: ImageHeader(format: .png, width: 4, height: 4),
                entityTag: nil,
                lastModified: nil,
                cacheControl: "max-age=600",
                freshness: Freshness(responseTime: now, initialAge: 0, lifetime: 600),
                advertisedLifetime: 0,
                tags: []
            )
            let description = EntityDescription(
                mediaType: "image/png",
                digest: CacheKey(hashing: [7]),
                length: 1,
                advertisedLifetime: 60
            )
            let entity = Entity(
                description: description,
                body: .memory([7]),
                origin: OriginState(record).snapshot,
                fields: [],
                isCacheable: true
            )
            completion(.variant(OwnedVariant(entity, at: now), OriginBody(copying: [7])))
            return Handle()
        }
    }

    private let question = OwnerQuestion(target: "/photos/a.png?w=10", fields: [])

    @Test func `out of touch, nobody is asked, and what was said in touch is not used`() throws {
        let owners = Owners(now: 1_000)
        let rig = try PipelineRig(outOfTouch: .revalidate, owners: owners)
        rig.stayInTouch()
        #expect(try rig.ask("a.png", "w=10", question: question).value().status == .owner)
        #expect(rig.hit("a.png", "w=10") == [7] && owners.asked.withLock { $0 } == 1)
        rig.progress.loseTouch()
        #expect(rig.hit("a.png", "w=10") == nil)
        let pending = rig.ask("a.png", "w=10", question: question)
        try rig.loader.wait(for: 1)[0].answer(rig.png(), at: rig.time.wallSeconds, cacheControl: "max-age=600")
        try rig.transformer.wait(for: 1)[0].make([1])
        #expect(try pending.value().entity.memory == [1])
        #expect(owners.asked.withLock { $0 } == 1)
    }

    @Test func `a node that serves out of touch goes on asking`() throws {
        let owners = Owners(now: 1_000)
        let rig = try PipelineRig(outOfTouch: .serve, owners: owners)
        #expect(try rig.ask("a.png", "w=10", question: question).value().status == .owner)
        #expect(rig.hit("a.png", "w=10") == [7] && owners.asked.withLock { $0 } == 1)
    }
}
