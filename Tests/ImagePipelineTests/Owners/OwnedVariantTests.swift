import CacheTestSupport
import HTTPCache
import HTTPSemantics
import ImagePlan
import TestSupport
import Testing

@testable import ImagePipeline

@Suite(.timeLimit(.minutes(1)))
struct OwnedVariantTests {
    private func entity(_ description: EntityDescription, isStored: Bool = true) -> Entity {
        let record = OriginRecord(
            key: CacheKey(hashing: "original"),
            source: "photos",
            url: "http://a.example/a.gif",
            digest: CacheKey(hashing: "bytes"),
            length: 1_000,
            header: ImageHeader(format: .gif, width: 40, height: 30),
            entityTag: nil,
            lastModified: nil,
            cacheControl: "max-age=60",
            freshness: Freshness(responseTime: 100, initialAge: 5, lifetime: 65),
            advertisedLifetime: 0,
            tags: ["red", "blue"]
        )
        return Entity(
            description: description,
            body: .memory([1, 2]),
            origin: OriginState(record).snapshot,
            fields: [],
            isCacheable: isStored
        )
    }

    private var description: EntityDescription {
        EntityDescription(
            mediaType: "image/webp",
            digest: CacheKey(hashing: [1, 2]),
            length: 2,
            lastModified: "Sun, 06 Nov 1994 08:49:37 GMT",
            cacheControl: "max-age=60",
            advertisedLifetime: 7,
            hints: OriginalHints(size: PixelSize(width: 40, height: 30), placeholder: nil),
            contentCoding: "gzip",
            animation: .reduced(frames: 3, of: 9, range: 2..<5),
            credentials: .stripped,
            quality: FoundQuality(quality: 74, score: 762),
            isSandboxed: true,
            passReason: .noTransform
        )
    }

    @Test func `what the owner itself would validate first is not kept`() {
        let time = ManualTime(wallSeconds: 120)
        let progress = PurgeProgress(.revalidate, from: nil, time: time)
        progress.begin(era: 7, at: PurgePlace(sequence: 1, mark: "m"))
        progress.stayInTouch(until: time.monotonic + PurgeProgress.patience)
        for (era, isKept) in [(Int64(7), true), (6, false)] {
            var record = entity(description).origin.record
            record.stamp = PurgeStamp(sequence: 1, era: era)
            let entity = Entity(
                description: description,
                body: .memory([1, 2]),
                origin: OriginState(record, progress: progress).snapshot,
                fields: [],
                isCacheable: true
            )
            #expect(OwnedVariant(entity, at: 120).isKept == isKept)
        }
    }

    @Test func `nothing is lost on the way`() throws {
        let sent = OwnedVariant(entity(description), at: 120)
        let received = try #require(OwnedVariant(encoded: sent.encoded))
        #expect(received == sent && received.description == description && received.isKept)
        for animation: AnimationOutcome in [
            .kept(frames: 3), .kept(frames: 3, range: 1..<4), .reduced(frames: 1, of: 2), .frame(4, of: 5),
            .original(frames: 6), .uncounted(frames: 7),
        ] {
            #expect(AnimationOutcome(taggedBytes: animation.taggedBytes[...]) == animation)
        }
    }

    @Test func `truncated and other bytes are refused`() {
        let bytes = OwnedVariant(entity(description), at: 120).encoded
        for count in 0..<bytes.count { _ = OwnedVariant(encoded: Array(bytes[..<count])) }
        #expect(OwnedVariant(encoded: []) == nil)
        #expect(OwnedVariant(encoded: Array(bytes.dropLast())) == nil)
        #expect(AnimationOutcome(taggedBytes: [1, 2, 3]) == nil)
    }

    @Test func `it is kept no longer than it is fresh, and purges find it by its tags`() {
        let variant = OwnedVariant(entity(description), at: 120)
        let source = SourceRule(name: "photos", location: .http(prefix: "http://a.example/"))
        guard let url = try? OriginURL("http://a.example/a.gif") else { return }
        let request = VariantRequest(origin: OriginRequest(source: source, url: url), plan: nil, bucket: nil)
        for (seconds, left) in [(10, 10), (100, 40)] as [(Int64, Int64)] {
            // On a machine whose clock shows another time.
            let origin = variant.origin(of: request, keptFor: seconds, at: 9_000).state
            #expect(origin.age(at: 9_000) == 25)
            #expect(origin.isFresh(at: 9_000 + left - 1) && !origin.isFresh(at: 9_000 + left))
            #expect(!origin.isUsableIfError(at: 9_000 + left, default: 3_600))
            #expect(!origin.isUsableWhileRevalidating(at: 9_000 + left, default: 3_600))
            #expect(origin.record.tags == ["red", "blue"] && origin.record.key == request.origin.key)
        }
    }

    @Test func `what the owner does not keep, or is stale, is not kept`() {
        #expect(!OwnedVariant(entity(description, isStored: false), at: 120).isKept)
        #expect(!OwnedVariant(entity(description), at: 160).isKept)
    }
}
