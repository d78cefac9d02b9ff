import Glibc
import HTTPCache
import TestSupport
import Testing

@testable import ImagePipeline

/// Cached failures after a restart of the daemon.
@Suite(.timeLimit(.minutes(1)))
struct FailureRestartTests {
    let rig: PipelineRig

    init() throws { rig = try PipelineRig() }

    /// Returns the rig after a restart, once the failures are restored.
    private func restarted() throws -> PipelineRig {
        let again = try rig.restarted()
        try waitWhile(again.pipeline.failures.isRestoring)
        return again
    }

    /// Requests an image that the origin must be asked for, and which it then has.
    private func succeeds(_ rig: PipelineRig) throws -> Bool {
        let asked = rig.ask("a.png", "w=10")
        try rig.loader.wait(for: 1)[0].answer(rig.png(), at: rig.time.wallSeconds)
        try rig.transformer.wait(for: 1)[0].make([1])
        return try asked.value().entity.memory == [1]
    }

    @Test func `a missing image stays missing after a restart, for the remaining lifetime`() throws {
        let first = rig.ask("none.png", "w=10")
        try rig.loader.wait(for: 1)[0].refuse(404, at: rig.time.wallSeconds)
        #expect(try first.error() == .originStatus(404))
        rig.time.advance(seconds: 100)
        let again = try restarted()
        #expect(try again.ask("none.png", "w=20").error() == .remembered(.originStatus(404), secondsLeft: 200))
        #expect(again.loader.all.isEmpty)
        let entry = try #require(again.pipeline.failures.list(limit: 1).first)
        #expect(entry.url == "http://origin.test/none.png")
        #expect(entry.kind == .missing)
        #expect(entry.source == "photos")
        rig.time.advance(seconds: 200)
        let later = again.ask("none.png", "w=10")
        try again.loader.wait(for: 1)[0].answer(again.png(), at: rig.time.wallSeconds)
        try again.transformer.wait(for: 1)[0].make([1])
        #expect(try later.value().entity.memory == [1])
    }

    @Test func `after a restart, an undecodable size is not decoded again, but other sizes are`() throws {
        let first = rig.ask("a.png", "w=10")
        try rig.loader.wait(for: 1)[0].answer(rig.png(), at: rig.time.wallSeconds)
        try rig.transformer.wait(for: 1)[0].fail(.broken("bad"))
        #expect(try first.error() == .broken("bad"))
        let again = try restarted()
        #expect(try again.ask("a.png", "w=10").error() == .remembered(.broken("bad"), secondsLeft: 600))
        let other = again.ask("a.png", "w=20")
        try again.transformer.wait(for: 1)[0].make([2])
        #expect(try other.value().entity.memory == [2])
    }

    @Test func `a failing origin is contacted again after a restart`() throws {
        let first = rig.ask("a.png", "w=10")
        // For long enough to be kept.
        try rig.loader.wait(for: 1)[0].refuse(503, at: rig.time.wallSeconds, retryAfter: "60")
        #expect(try first.error() == .originStatus(503))
        let again = try restarted()
        #expect(again.pipeline.failures.statistics.entries == 0)
        #expect(try succeeds(again))
    }

    @Test func `an origin that denied access is contacted again after a restart`() throws {
        let first = rig.ask("a.png", "w=10")
        try rig.loader.wait(for: 1)[0].refuse(403, at: rig.time.wallSeconds)
        #expect(try first.error() == .originStatus(403))
        let again = try restarted()
        #expect(again.pipeline.failures.statistics.entries == 0)
        #expect(try succeeds(again))
    }

    @Test func `a purged or recovered original does not fail again after a restart`() throws {
        for (number, path) in ["gone.png", "back.png"].enumerated() {
            let asked = rig.ask(path, "w=10")
            try rig.loader.wait(for: number + 1)[number].refuse(404, at: rig.time.wallSeconds)
            _ = try asked.error()
        }
        try rig.settle()
        let purged = Signal(false)
        #expect(
            rig.pipeline.purge(.originals([rig.request("gone.png", nil).origin.key])) { _ in purged.update { $0 = true }
            }
        )
        try purged.wait { $0 }
        rig.time.advance(seconds: 300)
        let back = rig.ask("back.png", "w=10")
        try rig.loader.wait(for: 3)[2].answer(rig.png(), at: rig.time.wallSeconds)
        try rig.transformer.wait(for: 1)[0].make([1])
        _ = try back.value()
        rig.time.set(wallSeconds: rig.time.wallSeconds - 300)
        let again = try restarted()
        #expect(again.pipeline.failures.statistics.entries == 0)
    }

    @Test func `a clock that went back does not block an origin`() throws {
        let first = rig.ask("a.png", "w=10")
        try rig.loader.wait(for: 1)[0].answer(rig.png(), at: rig.time.wallSeconds)
        try rig.transformer.wait(for: 1)[0].fail(.broken("bad"))
        _ = try first.error()
        rig.time.set(wallSeconds: rig.time.wallSeconds - 315_000_000)
        let again = try restarted()
        #expect(try again.ask("a.png", "w=10").error() == .remembered(.broken("bad"), secondsLeft: 600))
    }
}
