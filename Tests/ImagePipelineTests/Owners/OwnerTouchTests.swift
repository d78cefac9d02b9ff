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
    /// The number of questions.
    private let asked = Monitor(0)
    private let question = OwnerQuestion(target: "/photos/a.png?w=10", fields: [])

    /// Owners that answer with a variant of one byte, and count the questions.
    private func owners(now: Int64) -> ScriptedOwners {
        ScriptedOwners { [asked] request in
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
            return .variant(OwnedVariant(entity, at: now), OriginBody(copying: [7]))
        }
    }

    @Test func `out of touch, nobody is asked, and what was said in touch is not used`() throws {
        let rig = try PipelineRig(outOfTouch: .revalidate, owners: owners(now: 1_000))
        rig.stayInTouch()
        #expect(try rig.ask("a.png", "w=10", question: question).value().status == .owner)
        #expect(rig.hit("a.png", "w=10") == [7] && asked.withLock { $0 } == 1)
        rig.progress.loseTouch()
        #expect(rig.hit("a.png", "w=10") == nil)
        let pending = rig.ask("a.png", "w=10", question: question)
        try rig.loader.wait(for: 1)[0].answer(rig.png(), at: rig.time.wallSeconds, cacheControl: "max-age=600")
        try rig.transformer.wait(for: 1)[0].make([1])
        #expect(try pending.value().entity.memory == [1])
        #expect(asked.withLock { $0 } == 1)
    }

    @Test func `a node that serves out of touch goes on asking`() throws {
        let rig = try PipelineRig(outOfTouch: .serve, owners: owners(now: 1_000))
        #expect(try rig.ask("a.png", "w=10", question: question).value().status == .owner)
        #expect(rig.hit("a.png", "w=10") == [7] && asked.withLock { $0 } == 1)
    }
}
