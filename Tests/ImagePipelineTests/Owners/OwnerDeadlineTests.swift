import HTTPCache
import HTTPSemantics
import LinuxSystem
import OriginTransfer
import TestSupport
import Testing

@testable import ImagePipeline

/// Owners that take long, by a clock that the test advances.
@Suite(.timeLimit(.minutes(1)))
struct OwnerDeadlineTests {
    /// Asks for a variant whose owner declines after a number of seconds.
    private func ask(delay: Int64) throws -> (PipelineRig, PendingAnswer) {
        let time = ManualTime(wallSeconds: 1_000)
        let owners = ScriptedOwners { _ in
            time.advance(seconds: delay)
            return .declined
        }
        let rig = try PipelineRig(time: time, owners: owners)
        let deadline = SharedDeadline(rig.time.monotonic + 40_000_000_000)
        let question = OwnerQuestion(target: "/photos/a.png?w=10", fields: [])
        let pending = rig.ask("a.png", "w=10", deadline: deadline, question: question)
        try rig.drainLane()
        return (rig, pending)
    }

    @Test func `after an owner that has left time the image is made here`() throws {
        let (rig, pending) = try ask(delay: 20)
        try rig.loader.wait(for: 1)[0].answer(rig.png(), at: rig.time.wallSeconds)
        try rig.transformer.wait(for: 1)[0].make([1])
        #expect(try pending.value().entity.memory == [1])
    }

    @Test func `an owner that has taken all of a request's time is named by the failure`() throws {
        let (rig, pending) = try ask(delay: 40)
        #expect(try pending.error() == .overloaded("the original's owner has not answered in time"))
        #expect(rig.loader.all.isEmpty)
    }
}
