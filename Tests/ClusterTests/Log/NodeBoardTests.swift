import Testing

@testable import Cluster

/// Who has applied an entry, with a clock that is an argument.
///
/// Times are in milliseconds.
@Suite(.timeLimit(.minutes(1)))
struct NodeBoardTests {
    private var board = NodeBoard()

    private mutating func list(_ nodes: (String, UInt64, String)..., log: String = "log", at time: Int64) {
        let nodes = nodes.map { LogNodes.Node(name: $0, applied: $1, beat: $2) }
        board.update(LogNodes(log: log, head: 9, nodes: nodes), began: time * 1_000_000, ended: (time + 1) * 1_000_000)
    }

    private func nodes(at sequence: UInt64, asked: Int64) -> [[String]]? {
        board.nodes(at: sequence, asked: asked * 1_000_000).map { [$0.silent, $0.missing] }
    }

    @Test mutating func `nothing is known before lists of more than a second, nor by lists before the question`() {
        #expect(nodes(at: 1, asked: 0) == nil)
        list(("a/1", 7, "x"), at: 0)
        #expect(nodes(at: 7, asked: 0) == nil)
        list(("a/1", 7, "y"), at: 1_600)
        #expect(nodes(at: 7, asked: 1_500) == [[], []])
        #expect(nodes(at: 8, asked: 1_500) == [[], ["a"]])
        #expect(nodes(at: 7, asked: 1_601) == nil)
    }

    @Test
    mutating func `a node is silent when its statement stays the same, and is skipped a second after the question`() {
        list(("a/1", 7, "x"), ("b/1", 5, "x"), at: 0)
        list(("a/1", 7, "y"), ("b/1", 5, "x"), at: 1_490)
        #expect(board.nodes.map(\.isSilent) == [false, false])
        list(("a/1", 7, "z"), ("b/1", 5, "x"), at: 1_510)
        #expect(board.nodes.map(\.isSilent) == [false, true])
        #expect(nodes(at: 7, asked: 100) == [[], ["b"]])
        #expect(nodes(at: 7, asked: 1) == [["b"], []])
        list(("a/1", 7, "z"), ("b/1", 5, "y"), at: 1_600)
        #expect(board.nodes.map(\.isSilent) == [false, false])
    }

    @Test mutating func `another log makes everything unknown again`() {
        list(("a/1", 7, "x"), at: 0)
        list(("a/1", 7, "y"), at: 2_000)
        list(("a/1", 7, "y"), log: "other", at: 2_100)
        #expect(nodes(at: 7, asked: 2_000) == nil)
        list(("a/1", 7, "z"), log: "other", at: 3_700)
        #expect(nodes(at: 7, asked: 2_000) == [[], []])
    }

    @Test mutating func `nodes that have been silent for ten minutes are forgotten`() {
        list(("a/1", 7, "x"), at: 0)
        list(("a/1", 7, "x"), at: 599_000)
        #expect(board.forgettable.isEmpty)
        list(("a/1", 7, "x"), at: 600_002)
        #expect(board.forgettable.map(\.name) == ["a/1"])
    }

    @Test mutating func `of two runs of a node the one that speaks is shown`() {
        list(("a/1", 9, "x"), ("a/2", 5, "x"), at: 0)
        #expect(board.nodes == [LogNode(name: "a", applied: 9, isSilent: false)])
        list(("a/1", 9, "x"), ("a/2", 6, "y"), at: 2_000)
        #expect(board.nodes == [LogNode(name: "a", applied: 6, isSilent: false)])
    }
}
