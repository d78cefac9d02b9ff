import LinuxSystem
import TestSupport
import Testing

@testable import Cluster

/// Waits until nodes have applied an entry, with Redis and Valkey themselves.
@Suite(.timeLimit(.minutes(1)), .enabled(if: RedisServer.isEnabled))
struct LogWaitTests {
    typealias Engine = RedisServer.Engine

    @Test(arguments: Engine.allCases)
    func `a wait for this node ends once it has applied the entry`(engine: Engine) throws {
        let rig = LogRig(try RedisServer(engine))
        let (node, follower) = try rig.node()
        try node.record.wait { $0.place != nil }
        for round in 1...20 {
            let sequence = try follower.append("\(round)").get()
            #expect(try follower.wait(for: sequence, of: .thisNode) == .applied(silent: []))
            #expect(node.record.value.place?.sequence ?? 0 >= sequence)
        }
        #expect(try follower.wait(for: 1_000, of: .thisNode, seconds: 0) == .missing(["a"]))
        // The log begins anew, with smaller numbers: an earlier place says nothing of them.
        rig.server.command("FLUSHALL")
        let sequence = try follower.append("other").get()
        #expect(sequence == 2)
        #expect(try follower.wait(for: sequence, of: .thisNode) == .applied(silent: []))
        #expect(node.record.value.gaps == [.joined, .replaced])
    }

    @Test func `a wait for all nodes ends when they have applied the entry, and skips one that is gone`() throws {
        let rig = LogRig(try RedisServer(.redis))
        let nodes = try ["a", "b", "c"].map { try rig.node($0) }
        for one in nodes { try one.node.record.wait { $0.place != nil } }
        // On a busy machine a node may be silent for a while.
        var isComplete = false
        while !isComplete {
            let sequence = try nodes[0].follower.append("x").get()
            guard case .applied(let silent) = try nodes[0].follower.wait(for: sequence, of: .allNodes) else {
                Issue.record("not applied in time")
                return
            }
            for (name, one) in zip(["a", "b", "c"], nodes) where !silent.contains(name) {
                #expect(one.node.record.value.place?.sequence ?? 0 >= sequence, "\(name)")
            }
            isComplete = silent.isEmpty
        }
        #expect(nodes[0].follower.status.nodes.map(\.name) == ["a", "b", "c"])
        nodes[2].follower.stop()
        try waitFor {
            let sequence = try nodes[0].follower.append("y").get()
            let result = try nodes[0].follower.wait(for: sequence, of: .allNodes)
            guard case .applied(let silent) = result, silent.contains("c") else { return nil as Bool? }
            return true
        }
        #expect(nodes[0].follower.status.nodes.first { $0.name == "c" }?.isSilent == true)
    }

    @Test func `a wait names the node that has not applied the entry in time`() throws {
        let rig = LogRig(try RedisServer())
        var times = LogTimes.patient
        times.silence = 3_600_000_000_000
        let (node, follower) = try rig.node("a", times: times)
        let (slow, _) = try rig.node("slow", times: times)
        for one in [node, slow] { try one.record.wait { $0.place != nil } }
        slow.record.update { $0.isClosed = true }
        let sequence = try follower.append("x").get()
        #expect(try follower.wait(for: sequence, of: .thisNode) == .applied(silent: []))
        // The nodes are unknown at first.
        let result = try waitFor {
            let result = try follower.wait(for: sequence, of: .allNodes, seconds: 1)
            return result == .missing([]) ? nil : result
        }
        #expect(result == .missing(["slow"]))
        slow.record.update { $0.isClosed = false }
        #expect(try follower.wait(for: sequence, of: .allNodes) == .applied(silent: []))
    }

    @Test func `stopping ends waits`() throws {
        let rig = LogRig(try RedisServer())
        let (_, follower) = try rig.node()
        let answers = Signal<[LogWait]>([])
        for scope in [LogScope.thisNode, .allNodes] {
            follower.wait(for: 1_000, of: scope, timeout: 60_000_000_000) { result in
                answers.update { $0.append(result) }
            }
        }
        follower.stop()
        #expect(try answers.wait { $0.count == 2 } == [.missing([]), .missing([])])
        #expect(try follower.wait(for: 1, of: .thisNode) == .missing([]))
    }
}
