import HTTPCache
import TestSupport
import Testing

@testable import ImagePipeline

@Suite(.timeLimit(.minutes(1)))
struct PinnedBodyTests {
    /// The address of a body's bytes.
    private func address(_ entity: Entity) -> UInt {
        guard case .memory(let bytes) = entity.body else { return 0 }
        return unsafe bytes.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
    }

    @Test func `a body being sent is neither copied nor freed on eviction, and is freed with its last sender`()
        throws
    {
        let rig = try PipelineRig()
        let bytes = [UInt8](repeating: 7, count: 100_000)
        try rig.fill("a", "w=1", with: bytes)
        let request = rig.request("a", "w=1")
        weak var entity: Entity?
        do {
            let first = try #require(rig.pipeline.cached(request, now: rig.time.wallSeconds))
            let second = try #require(rig.pipeline.cached(request, now: rig.time.wallSeconds))
            entity = first
            #expect(first === second)
            let place = address(first)
            rig.memory.resize(capacity: 0)
            #expect(rig.memory.statistics.entries == 0 && rig.memory.statistics.bytes == 0)
            #expect(address(first) == place && address(second) == place)
            guard case .memory(let kept) = second.body else {
                Issue.record("not in memory")
                return
            }
            #expect(kept == bytes)
            #expect(entity != nil)
        }
        #expect(entity == nil)
    }
}
