import TestSupport
import Testing

@testable import HTTPCache
@testable import ImagePipeline

/// Entries that are hot in memory stay on disk, although they are not read there.
@Suite(.timeLimit(.minutes(1)))
struct HotInMemoryTests {
    @Test func `memory hits count for the order of eviction from disk`() throws {
        let rig = try PipelineRig()
        var limits = DiskLimits(originals: 1 << 30, variants: 1 << 30)
        limits.variants = 250
        rig.store.setLimits(limits)
        for number in 1...2 {
            try rig.fill("photo.png", "w=\(number)", with: [UInt8](repeating: UInt8(number), count: 100))
        }
        // The first is the disk's oldest entry until its memory hit.
        let first = rig.request("photo.png", "w=1")
        #expect(rig.pipeline.cached(first, now: rig.time.wallSeconds) != nil)
        try rig.settle()
        try rig.fill("photo.png", "w=3", with: [UInt8](repeating: 3, count: 100))
        #expect(rig.store.variant(first.key) != nil)
        #expect(rig.store.variant(rig.request("photo.png", "w=2").key) == nil)
    }

    @Test func `memory hits of a bare original count for its place among the originals on disk`() throws {
        let rig = try PipelineRig()
        let bytes = rig.png()
        func fill(_ number: Int) throws {
            let pending = rig.ask("\(number).png", nil)
            // Different bytes: equal ones would share a file.
            try rig.loader.wait(for: number)[number - 1].answer(
                bytes + [UInt8(number)],
                at: rig.time.wallSeconds,
                cacheControl: "max-age=600"
            )
            _ = try pending.value()
            try rig.settle()
        }
        var limits = DiskLimits(originals: 1 << 30, variants: 1 << 30)
        limits.originals = (bytes.count + 1) * 5 / 2
        rig.store.setLimits(limits)
        try fill(1)
        try fill(2)
        // The first is the disk's oldest entry until its memory hit.
        #expect(rig.pipeline.cached(rig.request("1.png", nil), now: rig.time.wallSeconds) != nil)
        try rig.settle()
        try fill(3)
        #expect(rig.store.origin(rig.request("1.png", nil).origin.key)?.file != nil)
        #expect(rig.store.origin(rig.request("2.png", nil).origin.key)?.file == nil)
    }

    @Test func `an entity's use is noted at most once a minute, even if the clock changes`() throws {
        let rig = try PipelineRig()
        try rig.fill("photo.png", "w=1", with: [1])
        let request = rig.request("photo.png", "w=1")
        let entity = try #require(rig.pipeline.cached(request, now: 1000))
        #expect(entity.noteUse(at: 1059) == nil)
        #expect(entity.noteUse(at: 1060) == 2)
        #expect(entity.noteUse(at: 1060) == nil)
        #expect(entity.noteUse(at: 900) == 3)
        #expect(entity.noteUse(at: 959) == nil)
    }
}
