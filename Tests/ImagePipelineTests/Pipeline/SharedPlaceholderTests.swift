import HTTPCache
import HTTPSemantics
import ImagePlan
import LinuxSystem
import TestSupport
import Testing

@testable import ImagePipeline

/// `placeholder: headers` on nodes that get results from the shared store, without the original's content.
@Suite(.timeLimit(.minutes(1)), .enabled(if: SeaweedFS.isWanted))
struct SharedPlaceholderTests {
    private let prefix: String
    private let placeholder: Placeholder
    private let wishes: @Sendable (inout SourceRule) -> Void = { $0.placeholder = .headers }

    init() throws {
        prefix = try SeaweedFS.prefix()
        let rgba = [UInt8](repeating: 200, count: 4 * 4 * 4)
        placeholder = Placeholder(of: try #require(TinyPicture(width: 4, height: 4, rgba: rgba)))
    }

    private var words: [UInt8] { Array(placeholder.text.utf8) }

    /// Has a node make a width of an image and share it.
    private func fill(_ node: ClusterNode, rule: (inout SourceRule) -> Void, _ results: [[UInt8]]) throws {
        let pending = node.rig.ask("photo.png", "w=10", rule: rule)
        try node.rig.loader.wait(for: 1)[0].answer(
            node.rig.png(width: 40, height: 30),
            at: node.rig.time.wallSeconds,
            cacheControl: "max-age=3600"
        )
        try node.rig.transformer.wait(for: 1)[0].make(results, as: .png)
        _ = try pending.value()
        try node.settle()
    }

    @Test func `a shared result comes with the placeholder of its original`() throws {
        let (one, other) = try (ClusterNode(prefix), ClusterNode(prefix))
        try fill(one, rule: wishes, [[1], words])
        let answer = try other.rig.ask("photo.png", "w=10", rule: wishes).value()
        #expect(answer.status == .hit(.shared) && answer.entity.memory == [1])
        #expect(answer.entity.description.hints?.placeholder == placeholder)
        #expect(other.rig.loader.all.isEmpty && other.rig.transformer.all.isEmpty)
        // Nor is it computed for another width, or after a restart.
        let next = other.rig.ask("photo.png", "w=20", rule: wishes)
        let job = try other.rig.transformer.wait(for: 1)[0]
        #expect(job.job.outputs.map(\.plan) == ["w=20"])
        job.make([2])
        #expect(try next.value().entity.description.hints?.placeholder == placeholder)
        try other.rig.settle()
        let again = try other.rig.restarted()
        let stored = try again.ask("photo.png", "w=10", rule: wishes).value()
        #expect(stored.status == .hit(.disk) && stored.entity.description.hints?.placeholder == placeholder)
        #expect(again.transformer.all.isEmpty)
    }

    @Test func `for a result that was shared without one, it is computed of the shared original`() throws {
        let (one, other) = try (ClusterNode(prefix), ClusterNode(prefix))
        try fill(one, rule: { _ in }, [[1]])
        let answer = try other.rig.ask("photo.png", "w=10", rule: wishes).value()
        #expect(answer.status == .hit(.shared) && answer.entity.description.hints?.placeholder == nil)
        let job = try other.rig.transformer.wait(for: 1)[0]
        #expect(job.job.outputs.map(\.plan) == [Placeholder.planText])
        job.make([words], as: .text)
        let request = other.rig.request("photo.png", "w=10", rule: wishes)
        let entity = other.rig.memory.value(for: request.key)
        #expect(entity?.memory == [1] && entity?.description.hints?.placeholder == placeholder)
        #expect(other.rig.loader.all.isEmpty)
    }
}
