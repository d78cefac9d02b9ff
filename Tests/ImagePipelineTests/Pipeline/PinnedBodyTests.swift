import CLinux
import LinuxSystem
import TestSupport
import Testing

@testable import HTTPCache
@testable import ImagePipeline

@Suite(.timeLimit(.minutes(1)))
struct PinnedBodyTests {
    /// The address of a body's bytes, or the number of its file.
    private func place(_ entity: Entity) -> UInt {
        switch entity.body {
        case .memory(let bytes): unsafe bytes.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
        case .file(let file, _): UInt(file.number)
        case .growing: 0
        }
    }

    @Test(arguments: [60_000, 100_000])
    func `a body being sent is neither copied nor freed on eviction, and is freed with its last sender`(
        _ length: Int
    ) throws {
        let rig = try PipelineRig()
        let bytes = [UInt8](repeating: 7, count: length)
        try rig.fill("a", "w=1", with: bytes)
        let request = rig.request("a", "w=1")
        weak var entity: Entity?
        do {
            let first = try #require(rig.pipeline.cached(request, now: rig.time.wallSeconds))
            let second = try #require(rig.pipeline.cached(request, now: rig.time.wallSeconds))
            entity = first
            #expect(first === second)
            let before = place(first)
            rig.memory.resize(capacity: 0)
            #expect(rig.memory.statistics.entries == 0 && rig.memory.statistics.bytes == 0)
            #expect(place(first) == before && place(second) == before)
            #expect(second.body.copied() == bytes)
            #expect(entity != nil)
        }
        #expect(entity == nil)
    }

    @Test func `a large body is a sealed file in memory, and stays there when it has been validated`() throws {
        let rig = try PipelineRig()
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0) }
        try rig.fill("a", "w=1", with: bytes, cacheControl: "max-age=60", entityTag: "\"e\"")
        let request = rig.request("a", "w=1")
        let first = try #require(rig.pipeline.cached(request, now: rig.time.wallSeconds))
        guard case .file(let file, 100_000) = first.body else {
            Issue.record("\(first.body)")
            return
        }
        #expect(edge_memfd_is_sealed(file.number) == 1)
        rig.time.advance(seconds: 100)
        let pending = rig.ask("a", "w=1")
        try rig.loader.wait(for: 2)[1].answerNotModified(at: rig.time.wallSeconds, cacheControl: "max-age=120")
        _ = try pending.value()
        let second = try #require(rig.pipeline.cached(request, now: rig.time.wallSeconds))
        // The same file: equal bytes are held once.
        #expect(second !== first && place(second) == place(first) && second.body.copied() == bytes)
        #expect(rig.pipeline.parts.bodies.fileCount == 1)
        rig.memory.resize(capacity: 0)
        #expect(rig.pipeline.parts.bodies.fileCount == 0)
    }

    @Test func `no more bodies are files than the table may have`() throws {
        let rig = try PipelineRig()
        try rig.fill("a", "w=1", with: [1])
        let origin = try #require(rig.pipeline.cached(rig.request("a", "w=1"), now: rig.time.wallSeconds)).origin
        let table = BodyTable(mostFiles: 1)
        func entity(_ seed: UInt8) throws -> Entity {
            let bytes = [UInt8](repeating: seed, count: 100_000)
            let digest = CacheKey(hashing: bytes)
            let lease = table.lease(bytes, digest: digest, for: digest, in: BodyScope(of: origin.record))
            let description = EntityDescription(
                mediaType: "image/png",
                digest: digest,
                length: bytes.count,
                advertisedLifetime: 0
            )
            return Entity(
                description: description,
                body: .memory(bytes),
                origin: origin.snapshot,
                fields: [],
                lease: lease
            )
        }
        func isFile(_ entity: Entity) -> Bool { if case .file = entity.body { true } else { false } }
        let (first, second) = (try entity(1), try entity(2))
        #expect(isFile(first) && !isFile(second) && table.fileCount == 1)
        table.release(first, in: rig.memory)
        #expect(table.fileCount == 0)
        #expect(isFile(try entity(3)))
    }
}
