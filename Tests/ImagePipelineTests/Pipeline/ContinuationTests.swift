import HTTPCache
import HTTPSemantics
import ImagePipeline
import TestSupport
import Testing

/// What happens to downloads and transforms whose last client leaves (`continue`).
@Suite(.timeLimit(.minutes(1)))
struct ContinuationTests {
    private let rig: PipelineRig

    init() throws { rig = try PipelineRig() }

    /// A download of which some bytes have arrived when its only client leaves.
    private func abandoned(
        _ policy: ContinuePolicy,
        received: Int,
        of length: Int?,
        cache: CacheTiers = .all
    ) throws -> ScriptedLoader.Load {
        let answer = rig.ask("a.png", "w=10", cache: cache) { $0.continues = policy }
        let load = try rig.loader.wait(for: 1)[0]
        // The task has its load only after the start.
        try rig.drainLane()
        if let length { load.expect(length) }
        load.receive(received)
        answer.leave()
        return load
    }

    private static let cases: [(ContinuePolicy, Int, Int?, Bool)] = [
        (.never, 999, 1000, false), (.pastBytes(500), 499, 1000, false), (.pastBytes(500), 500, 1000, true),
        (.pastPercent(75), 749, 1000, false), (.pastPercent(75), 750, 1000, true), (.pastPercent(0), 0, nil, false),
        (.always, 0, nil, true), (.standard, 262_143, nil, false), (.standard, 262_144, nil, true),
    ]

    @Test(arguments: cases)
    func `a download continues as configured, else it is cancelled`(
        policy: ContinuePolicy,
        received: Int,
        length: Int?,
        continues: Bool
    ) throws {
        let load = try abandoned(policy, received: received, of: length)
        guard continues else { return try load.waitForCancel() }
        #expect(!load.isCancelled)
        load.answer(rig.png(), at: 1000)
        try rig.waitForOriginals()
        // With `always` the transform continues, too.
        if policy == .always { try rig.transformer.wait(for: 1)[0].make([1]) }
        let next = rig.ask("a.png", policy == .always ? "w=10" : nil)
        #expect(try next.value().entity.memory == (policy == .always ? [1] : rig.png()))
        #expect(rig.loader.all.count == 1)
    }

    @Test func `nothing continues for a source that stores nothing`() throws {
        try abandoned(.always, received: 900, of: 1000, cache: .none).waitForCancel()
    }

    @Test(arguments: [ContinuePolicy.standard, .pastPercent(0), .never])
    func `the last client to leave cancels the transform`(_ policy: ContinuePolicy) throws {
        let clients = (0..<2).map { _ in rig.ask("a.png", "w=10") { $0.continues = policy } }
        try rig.loader.wait(for: 1)[0].answer(rig.png(), at: 1000)
        let job = try rig.transformer.wait(for: 1)[0]
        clients[0].leave()
        #expect(!job.isCancelled)
        clients[1].leave()
        try waitWhile(!job.isCancelled)
        #expect(rig.pipeline.variantsUnderWay == 0)
    }

    @Test func `always finishes and stores a transform that its clients have left`() throws {
        let answer = rig.ask("a.png", "w=10") { $0.continues = .always }
        try rig.loader.wait(for: 1)[0].answer(rig.png(), at: 1000)
        let job = try rig.transformer.wait(for: 1)[0]
        answer.leave()
        #expect(!job.isCancelled)
        job.make([1])
        let next = try rig.ask("a.png", "w=10").value()
        #expect(next.status == .hit(.memory) && next.entity.memory == [1])
    }
}
