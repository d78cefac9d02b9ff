import LinuxSystem
import TestSupport
import Testing

@testable import Cluster

/// Nodes that follow a log in Redis and Valkey themselves.
@Suite(.timeLimit(.minutes(1)), .enabled(if: RedisServer.isEnabled))
struct LogFollowerTests {
    typealias Engine = RedisServer.Engine

    @Test(arguments: Engine.allCases)
    func `all nodes apply all purges in the order of the log`(engine: Engine) throws {
        let rig = LogRig(try RedisServer(engine))
        let nodes = try ["a", "b", "c"].map { try rig.node($0) }
        for one in nodes { try one.node.record.wait { $0.gaps == [.joined] && $0.deadline > 0 } }
        let answers = Signal<[UInt64]>([])
        for index in 0..<300 {
            nodes[index % 3].follower.append(Array("\(index)".utf8)) { result in
                if case .success(let sequence) = result { answers.update { $0.append(sequence) } }
            }
        }
        try answers.wait { $0.count == 300 }
        #expect(answers.value.sorted() == Array(2...301))
        for one in nodes { try one.node.record.wait { $0.applied.count == 300 } }
        #expect(nodes[0].node.record.value.applied.map(\.sequence) == Array(2...301))
        #expect(nodes.allSatisfy { $0.node.record.value.applied == nodes[0].node.record.value.applied })
        #expect(nodes.allSatisfy { $0.node.record.value.gaps == [.joined] })
        #expect(try nodes[0].follower.wait(for: 301, of: .thisNode) == .applied(silent: []))
        let status = nodes[0].follower.status
        #expect(status.applied == 301 && status.appliedCount == 300 && status.appended == 100 && status.lag == 0)
        #expect(status.gaps == [.joined: 1])
    }

    @Test(arguments: Engine.allCases)
    func `a node goes on at the place that it has stored, without a gap`(engine: Engine) throws {
        let rig = LogRig(try RedisServer(engine))
        let (first, follower) = try rig.node()
        try first.record.wait { $0.place != nil }
        #expect(try follower.append("1").get() == 2)
        try first.record.wait { $0.applied.count == 1 }
        follower.stop()
        let added = try rig.log().append([LogAppend("2"), LogAppend("3")])
        #expect(try added.map { try $0.get().sequence } == [3, 4])
        let (second, _) = try rig.node(place: first.record.value.place)
        try second.record.wait { $0.applied.count == 2 && $0.deadline > 0 }
        #expect(second.payloads == ["2", "3"] && second.record.value.gaps == [])
        // Also where there is nothing to apply.
        let (third, idle) = try rig.node("c", place: second.record.value.place)
        #expect(try idle.wait(for: 4, of: .thisNode) == .applied(silent: []))
        #expect(idle.status.applied == 4 && third.record.value.applied == [] && third.record.value.gaps == [])
    }

    /// What an operator or a failure may do to the log while nodes follow it, or while none does.
    enum Damage: String, CaseIterable {
        case flushed, deletedAndRefilled, killed, killedWithData, failedOver
    }

    @Test(arguments: Engine.allCases, Damage.allCases)
    func `a log that has lost entries, or may have, is a gap for all nodes, which then go on`(
        engine: Engine,
        damage: Damage
    ) throws {
        let options = damage == .killedWithData ? ["--appendonly", "yes"] : []
        let server = try RedisServer(engine, options)
        let rig = LogRig(server)
        let nodes = try ["a", "b"].map { try rig.node($0) }
        for one in nodes { try one.node.record.wait { $0.place != nil } }
        #expect(try nodes[0].follower.append("before").get() == 2)
        for one in nodes { try one.node.record.wait { $0.applied.count == 1 } }
        switch damage {
        case .flushed: server.command("FLUSHALL")
        case .deletedAndRefilled:
            server.command("DEL {edge}:purges")
            let refilled = try rig.log().append((0..<3).map { LogAppend("other \($0)") })
            #expect(refilled.allSatisfy { if case .success = $0 { true } else { false } })
        case .killed, .killedWithData:
            server.kill()
            try server.start()
        case .failedOver:
            server.command("REPLICAOF 127.0.0.1 1")
            server.command("REPLICAOF NO ONE")
        }
        for one in nodes { try one.node.record.wait { $0.gaps.count == 2 } }
        #expect(nodes.allSatisfy { $0.node.record.value.gaps == [.joined, .replaced] })
        let sequence = try nodes[1].follower.append("after").get()
        for one in nodes { try one.node.record.wait { $0.applied.last?.payload == Array("after".utf8) } }
        #expect(nodes.allSatisfy { $0.node.record.value.applied.last?.sequence == sequence })
        #expect(nodes[0].follower.status.gaps == [.joined: 1, .replaced: 1])
    }

    @Test(arguments: Engine.allCases)
    func `a node whose place was trimmed has a gap, and goes on at the end`(engine: Engine) throws {
        let rig = LogRig(try RedisServer(engine))
        let log = try rig.log()
        let place = try #require(log.append([LogAppend("1")]).first).get()
        #expect(log.append((2...9).map { LogAppend("\($0)") }).count == 8)
        rig.server.command("XTRIM {edge}:purges MAXLEN 3")
        let (node, follower) = try rig.node(place: place)
        try node.record.wait { $0.gaps == [.trimmed] && $0.deadline > 0 }
        #expect(node.record.value.place?.sequence == 10 && node.payloads == [])
        #expect(try follower.append("next").get() == 11)
        try node.record.wait { $0.applied.count == 1 }
    }

    @Test(arguments: Engine.allCases)
    func `a server that stands still puts nodes out of touch, without a gap when it goes on`(engine: Engine) throws {
        let rig = LogRig(try RedisServer(engine))
        var times = LogTimes()
        times.command = 500_000_000
        times.append = 1_500_000_000
        let (node, follower) = try rig.node(times: times)
        try node.record.wait { $0.deadline > 0 }
        try rig.server.freeze()
        let frozen = SystemTime().monotonic
        let result = try follower.append("lost or not")
        guard case .failure(.outcomeUnknown) = result else {
            Issue.record("\(result)")
            return
        }
        // No heartbeat that began later than the stop was answered.
        #expect(node.record.value.deadline <= UInt64(frozen + times.touch))
        rig.server.thaw()
        try waitFor { try? follower.append("after").get() }
        try node.record.wait {
            $0.applied.last?.payload == Array("after".utf8) && $0.deadline > UInt64(frozen + times.touch)
        }
        #expect(node.record.value.gaps == [.joined] && follower.status.errors > 0)
    }

    @Test(arguments: Engine.allCases)
    func `an append whose connection breaks is repeated, and stands in the log once`(engine: Engine) throws {
        let rig = LogRig(try RedisServer(engine))
        let (node, follower) = try rig.node()
        try node.record.wait { $0.place != nil }
        #expect(try follower.append("1").get() == 2)
        for round in 2...5 {
            rig.server.command("CLIENT KILL TYPE normal")
            #expect(try follower.append("\(round)").get() == UInt64(round + 1))
        }
        try node.record.wait { $0.applied.count == 5 }
        #expect(node.payloads == ["1", "2", "3", "4", "5"] && node.record.value.gaps == [.joined])
    }

    @Test(arguments: Engine.allCases)
    func `a wrong password and a key of another program are failures that the status tells`(engine: Engine) throws {
        let rig = LogRig(try RedisServer(engine, ["--requirepass", "right"]))
        let (stranger, refused) = try rig.node(location: "redis+unix://:canary@\(rig.server.socket)")
        let result = try refused.append("x")
        guard case .failure(.refused(let reason)) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(reason.hasPrefix("WRONGPASS"))
        try waitWhile(refused.status.failure == nil)
        #expect(refused.status.failure == .refused(reason) && !refused.status.isInTouch && refused.status.errors > 0)
        #expect(stranger.record.value.gaps == [] && stranger.record.value.deadline == 0)
        let other = LogRig(try RedisServer(engine))
        other.server.command("SET {edge}:purges text")
        let (_, wrong) = try other.node()
        try waitWhile(wrong.status.failure == nil)
        #expect(wrong.status.failure?.description.contains("WRONGTYPE") == true)
    }

    @Test(arguments: Engine.allCases)
    func `an answer of the engine with the password in it is not repeated`(engine: Engine) throws {
        let rig = LogRig(try RedisServer(engine, ["--rename-command", "AUTH", "XAUTH"]))
        // Engines cut a long argument.
        let password = String(repeating: "canary", count: 40)
        let (_, follower) = try rig.node(location: "redis+unix://:\(password)@\(rig.server.socket)")
        #expect(try follower.append("x") == .failure(.refused("the engine does not take AUTH")))
        try waitWhile(follower.status.failure == nil)
        #expect(follower.status.failure?.description.contains("canary") == false)
    }

    @Test func `so many appends may wait, and more fail at once`() throws {
        let rig = LogRig(try RedisServer())
        let (node, follower) = try rig.node(isStarted: false)
        let answers = Signal<[UInt64]>([])
        for index in 0..<LogFollower.appendLimit {
            follower.append(Array("\(index)".utf8)) { result in
                if case .success(let sequence) = result { answers.update { $0.append(sequence) } }
            }
        }
        #expect(try follower.append("more") == .failure(.busy(limit: 1_024)))
        #expect(follower.status.waitingAppends == 1_024)
        let long = [UInt8](repeating: 0, count: LogFollower.payloadLimit + 1)
        follower.append(long) { #expect($0 == .failure(.tooLarge(limit: LogFollower.payloadLimit))) }
        try follower.start()
        try answers.wait { $0.count == 1_024 }
        #expect(answers.value == Array(2...1_025))
        follower.stop()
        #expect(try follower.append("late") == .failure(.stopped))
        withExtendedLifetime(node) {}
    }

    @Test func `an entry in another log than the one that the node follows is no success`() throws {
        let (followed, other) = (try RedisServer(.valkey), try RedisServer(.redis))
        var times = LogTimes.patient
        times.append = 1_500_000_000
        let locations = try [followed, other].map { try LogLocation($0.location) }
        let created = Signal(0)
        let node = RecordingNode()
        // The second thread writes to the other server at first, and to the right one later.
        let follower = LogFollower(node: "a", following: node, times: times) { times, interruption in
            let isAppending = times.command < 10_000_000_000
            if isAppending { created.update { $0 += 1 } }
            let location = isAppending && created.value == 1 ? locations[1] : locations[0]
            return RedisPurgeLog(location, name: "edge", keep: 100, times: times, interruption: interruption)
        }
        defer { follower.stop() }
        try follower.start()
        try node.record.wait { $0.place != nil }
        var result = try follower.append("x")
        while case .failure = result { result = try follower.append("x") }
        #expect(created.value > 1)
        let sequence = try result.get()
        #expect(try follower.wait(for: sequence, of: .thisNode) == .applied(silent: []))
        #expect(node.record.value.place?.sequence == sequence)
    }

    @Test func `without a server appends fail, and so do those that wait behind them`() throws {
        let rig = LogRig(try RedisServer())
        rig.server.kill()
        let (_, follower) = try rig.node(isStarted: false)
        let answers = Signal<[LogError]>([])
        for index in 0..<200 {
            follower.append(Array("\(index)".utf8)) { result in
                if case .failure(let error) = result { answers.update { $0.append(error) } }
            }
        }
        try follower.start()
        let errors = try answers.wait { $0.count == 200 }
        #expect(errors.allSatisfy { if case .unreachable = $0 { true } else { false } })
    }
}
