import HTTPCache
import LinuxSystem
import TestSupport
import Testing

@testable import Cluster

/// Leases in Redis and Valkey themselves.
@Suite(.timeLimit(.minutes(1)), .enabled(if: RedisServer.isEnabled))
struct DownloadLeasesTests {
    typealias Engine = RedisServer.Engine

    private let key = CacheKey(hashing: "picture")
    private let other = CacheKey(hashing: "other")

    @Test(arguments: Engine.allCases)
    func `one node has the lease, and the others wait until the store has the original`(engine: Engine) throws {
        let rig = try LeaseRig(engine)
        let (one, two) = try (rig.node(), rig.node())
        let lease = try #require(try PendingTurn(one, key).lease())
        let waiting = [PendingTurn(two, key), PendingTurn(two, key), PendingTurn(one, key)]
        try two.waitUntil(waiting: 2)
        try one.waitUntil(waiting: 1)
        // Another original has another lease.
        #expect(try PendingTurn(two, other).lease() != nil)
        #expect(waiting.allSatisfy { !$0.isDone && $0.looks.value.isEmpty })
        lease.end(.shared)
        for pending in waiting {
            try pending.answer(look: 1, "found")
            #expect(try pending.found() == "found")
        }
        #expect(one.results == [.taken: 1, .found: 1] && two.results == [.taken: 1, .found: 2])
    }

    @Test func `a lease is a key of the cluster that expires after two seconds`() throws {
        let commands = LeaseCommands(name: "edge", lifetime: LeaseTimes().lease)
        let words = commands.take(key, token: "t", replacing: nil).map { String(decoding: $0, as: UTF8.self) }
        #expect(words == ["SET", "{edge}:lease:\(key)", "busy:t", "NX", "GET", "PX", "2000"])
        let rig = try LeaseRig()
        let lease = try PendingTurn(try rig.node(), key).lease()
        func timeLeft() throws -> Int {
            let reply = rig.server.command("PTTL {edge}:lease:\(key)")
            return try #require(Int(reply.dropFirst().dropLast(2)))
        }
        #expect(rig.value(of: key).contains("busy:"))
        #expect((1...60_000).contains(try timeLeft()))
        lease?.end(.shared)
        try waitWhile(!rig.value(of: key).contains("shared:"))
        #expect((1...60_000).contains(try timeLeft()))
    }

    @Test(arguments: Engine.allCases)
    func `an original that is found without waiting was written after the first look`(engine: Engine) throws {
        let rig = try LeaseRig(engine)
        let (one, two) = try (rig.node(), rig.node())
        try PendingTurn(one, key).lease()?.end(.shared)
        try waitWhile(!rig.value(of: key).contains("shared:"))
        let pending = PendingTurn(two, key)
        try pending.answer(look: 1, "found")
        #expect(try pending.found() == "found")
    }

    @Test(arguments: Engine.allCases)
    func `if the store has nothing usable, one node takes the next lease`(engine: Engine) throws {
        let rig = try LeaseRig(engine)
        let (one, two) = try (rig.node(), rig.node())
        try PendingTurn(one, key).lease()?.end(.shared)
        try waitWhile(!rig.value(of: key).contains("shared:"))
        // As after a purge.
        let pending = PendingTurn(two, key)
        try pending.answer(look: 1, nil)
        let lease = try #require(try pending.lease())
        let waiting = PendingTurn(one, key)
        try one.waitUntil(waiting: 1)
        lease.end(.shared)
        try waiting.answer(look: 1, "found")
        #expect(try waiting.found() == "found")
    }

    @Test(arguments: Engine.allCases)
    func `an abandoned lease goes to one of those that wait`(engine: Engine) throws {
        let rig = try LeaseRig(engine)
        let (one, two) = try (rig.node(), rig.node())
        var lease = try #require(try PendingTurn(one, key).lease())
        let waiting = PendingTurn(two, key)
        try two.waitUntil(waiting: 1)
        lease.end(.abandoned)
        // Only the first end counts.
        lease.end(.shared)
        try waiting.answer(look: 1, nil)
        lease = try #require(try waiting.lease())
        #expect(rig.value(of: key).contains("busy:"))
    }

    @Test func `the release of a lease is its end`() throws {
        let rig = try LeaseRig()
        let (one, two) = try (rig.node(), rig.node())
        var first: PendingTurn? = PendingTurn(one, key)
        #expect(try first?.lease() != nil)
        let second = PendingTurn(two, key)
        try two.waitUntil(waiting: 1)
        first = nil
        try second.answer(look: 1, nil)
        #expect(try second.lease() != nil)
    }

    @Test(arguments: Engine.allCases)
    func `a lease that has run out is taken only if the store does not have the original`(engine: Engine) throws {
        let rig = try LeaseRig(engine)
        let node = try rig.node()
        rig.set(key, "busy:dead")
        let waiting = PendingTurn(node, key)
        try node.waitUntil(waiting: 1)
        rig.server.command("PEXPIRE {edge}:lease:\(key) 1")
        try waiting.answer(look: 1, "found")
        #expect(try waiting.found() == "found")
        #expect(node.results == [.found: 1])
    }

    @Test func `a lease that is released without an end is abandoned`() throws {
        let ends = Signal<[DownloadLease.End]>([])
        _ = DownloadLease { end in ends.update { $0.append(end) } }
        #expect(ends.value == [.abandoned])
        let passed = DownloadLease { end in ends.update { $0.append(end) } }
        passed.passOn()
        passed.giveUp(.failed)
        #expect(ends.value.count == 1)
        passed.end(.shared)
        passed.giveUp(.failed)
        #expect(ends.value == [.abandoned, .shared])
    }

    @Test(arguments: Engine.allCases)
    func `a lease that another node has taken since is left alone`(engine: Engine) throws {
        let rig = try LeaseRig(engine)
        let node = try rig.node()
        for end in [DownloadLease.End.shared, .failed, .abandoned] {
            let lease = try #require(try PendingTurn(node, key).lease())
            rig.set(key, "busy:other")
            lease.end(end)
            // Answered after the end.
            try PendingTurn(node, other).lease()?.end(.abandoned)
            #expect(rig.value(of: key) == "$10\r\nbusy:other\r\n")
            rig.server.command("DEL {edge}:lease:\(key)")
        }
        // One that has run out meanwhile tells that the store has the original.
        let lease = try #require(try PendingTurn(node, key).lease())
        rig.server.command("DEL {edge}:lease:\(key)")
        lease.end(.shared)
        try waitWhile(!rig.value(of: key).contains("shared:"))
    }

    @Test(arguments: [DownloadLease.End.failed, .unshareable])
    func `nobody waits for what cannot be shared`(end: DownloadLease.End) throws {
        let rig = try LeaseRig()
        let (one, two) = try (rig.node(), rig.node())
        let lease = try #require(try PendingTurn(one, key).lease())
        let waiting = PendingTurn(two, key)
        try two.waitUntil(waiting: 1)
        lease.end(end)
        #expect(try waiting.isFree())
        #expect(try PendingTurn(two, key).isFree())
        #expect(two.results == [.failed: 2])
        rig.server.command("DEL {edge}:lease:\(key)")
        // What may not be shared takes no lease for a while; another download of what has failed does.
        let next = PendingTurn(one, key)
        #expect(try next.isFree() == (end == .unshareable))
        #expect(one.results == [.taken: end == .unshareable ? 1 : 2])
    }

    @Test func `a lease whose node was killed runs out, and one of those that wait takes it`() throws {
        let rig = try LeaseRig()
        let nodes = try [rig.node(), rig.node()]
        rig.set(key, "busy:dead", "PX 500")
        let store = Signal<String?>(nil)
        let waiting = nodes.map { PendingTurn($0, key, store: store) }
        try waitWhile(!waiting.contains(where: { $0.isDone }))
        let first = try #require(waiting.first { $0.isDone })
        let second = try #require(waiting.first { $0 !== first })
        store.update { $0 = "found" }
        try first.lease()?.end(.shared)
        #expect(try second.found() == "found")
    }

    @Test func `of three nodes that wait for a killed one, one takes the lease, and the others download`() throws {
        let rig = try LeaseRig()
        let time = ManualTime()
        let nodes = try (0..<3).map { _ in try rig.node(time: time) }
        rig.set(key, "busy:dead")
        let waiting = nodes.map { PendingTurn($0, key, store: Signal(nil)) }
        for node in nodes { try node.waitUntil(waiting: 1) }
        rig.server.command("DEL {edge}:lease:\(key)")
        time.advance(seconds: LeaseTimes.patient.lease / 1_000_000_000)
        #expect(try waiting.compactMap { try $0.lease() }.count == 1)
        #expect(nodes.filter { $0.results == [.taken: 1] }.count == 1)
        #expect(nodes.filter { $0.results == [.expired: 1] }.count == 2)
    }

    @Test func `nobody waits longer than a lease lasts`() throws {
        let rig = try LeaseRig()
        var times = LeaseTimes.patient
        times.lease = 100_000_000
        let node = try rig.node(times: times)
        rig.set(key, "busy:slow")
        #expect(try PendingTurn(node, key).isFree())
        #expect(node.results == [.expired: 1])
    }

    @Test func `without the engine, downloads begin at once`() throws {
        let rig = try LeaseRig()
        let node = try rig.node()
        let lease = try #require(try PendingTurn(node, key).lease())
        let waiting = PendingTurn(node, key)
        try node.waitUntil(waiting: 1)
        rig.server.kill()
        #expect(try waiting.isFree())
        try node.waitUntil(isConnected: false)
        let late = PendingTurn(node, other)
        #expect(late.isDone)
        #expect(try late.isFree())
        lease.end(.shared)
        #expect(node.results == [.taken: 1, .unavailable: 2])
        try rig.server.start()
        try node.waitUntil(isConnected: true)
        // What has ended meanwhile is told afterwards.
        try waitWhile(!rig.value(of: key).contains("shared:"))
        #expect(try PendingTurn(node, other).lease() != nil)
    }

    @Test func `a node that starts without the engine finds it later`() throws {
        let rig = try LeaseRig()
        rig.server.kill()
        let node = DownloadLeases(location: try LogLocation(rig.server.location), name: "edge", times: .patient)
        defer { node.stop() }
        #expect(PendingTurn(node, key).isDone)
        try node.start()
        #expect(PendingTurn(node, key).isDone)
        try rig.server.start()
        try node.waitUntil(isConnected: true)
        #expect(try PendingTurn(node, key).lease() != nil)
    }

    @Test func `a frozen engine costs one budget, and then nothing`() throws {
        let rig = try LeaseRig()
        var times = LeaseTimes.patient
        times.budget = LeaseTimes().budget
        let node = try rig.node(times: times)
        try rig.server.freeze()
        defer { rig.server.thaw() }
        let pending = PendingTurn(node, key)
        let lease = try #require(try pending.lease())
        #expect(node.results == [.unavailable: 1])
        try node.waitUntil(isConnected: false)
        // It accepts connections, but does not answer.
        for _ in 0..<100 { #expect(PendingTurn(node, other).isDone) }
        #expect(node.results == [.unavailable: 101])
        // It grants the lease once it goes on, and is told its end.
        lease.end(.shared)
        rig.server.thaw()
        try node.waitUntil(isConnected: true)
        try waitWhile(!rig.value(of: key).contains("shared:"))
    }

    @Test func `the end of a lease is sent again if the engine did not answer in time`() throws {
        let rig = try LeaseRig()
        var times = LeaseTimes.patient
        times.budget = 1_000_000_000
        let node = try rig.node(times: times)
        let lease = try #require(try PendingTurn(node, key).lease())
        try rig.server.freeze()
        lease.end(.shared)
        try node.waitUntil(isConnected: false)
        // As if the first had been lost.
        rig.server.kill()
        try rig.server.start()
        try waitWhile(!rig.value(of: key).contains("shared:"))
    }

    @Test func `a server that refuses is not asked`() throws {
        let rig = try LeaseRig()
        let node = try rig.node()
        rig.server.command("REPLICAOF 127.0.0.1 1")
        #expect(try PendingTurn(node, key).isFree())
        #expect(node.results == [.unavailable: 1])
    }

    @Test(arguments: Engine.allCases)
    func `a user with only the documented permissions is enough`(engine: Engine) throws {
        let rig = try LeaseRig(engine)
        let commands = RedisScript.permissions.map { "+\($0)" }.joined(separator: " ")
        #expect(rig.server.command("ACL SETUSER edge on >canary ~{edge}:* \(commands)") == "+OK\r\n")
        let node = try rig.node(location: "redis+unix://edge:canary@\(rig.server.socket)")
        try PendingTurn(node, key).lease()?.end(.abandoned)
        try PendingTurn(node, key).lease()?.end(.shared)
        let pending = PendingTurn(node, key)
        try pending.answer(look: 1, nil)
        #expect(try pending.lease() != nil)
        #expect(node.results == [.taken: 3])
    }

    @Test func `the number of leases is bounded`() throws {
        let rig = try LeaseRig()
        let node = try rig.node()
        let all = (0..<DownloadLeases.limit).map { PendingTurn(node, CacheKey(hashing: "\($0)")) }
        let leases = try all.map { try #require(try $0.lease()) }
        let refused = PendingTurn(node, key)
        #expect(refused.isDone)
        #expect(try refused.isFree())
        #expect(node.results == [.taken: DownloadLeases.limit, .unavailable: 1])
        for lease in leases { lease.end(.abandoned) }
    }

    @Test func `places are free again once leases and requests have ended`() throws {
        let rig = try LeaseRig()
        let node = try rig.node()
        for _ in 0..<10 { try PendingTurn(node, key).lease()?.end(.abandoned) }
        rig.set(other, "failed:x")
        for _ in 0..<10 { #expect(try PendingTurn(node, other).isFree()) }
        try waitWhile(node.state.withLock({ $0.active }) > 0)
        // Looks that are never answered give theirs back, too.
        rig.set(other, "shared:x")
        var dropped: PendingTurn? = PendingTurn(node, other)
        try dropped?.looks.wait { $0.count == 1 }
        dropped?.looks.update { $0 = [] }
        dropped = nil
        try waitWhile(node.state.withLock({ $0.active }) > 0)
    }

    @Test func `at the end of the daemon nobody waits`() throws {
        let rig = try LeaseRig()
        let node = try rig.node()
        rig.set(key, "busy:slow")
        let waiting = PendingTurn(node, key)
        try node.waitUntil(waiting: 1)
        node.stop()
        #expect(try waiting.isFree())
        try node.waitUntil(isConnected: false)
        #expect(PendingTurn(node, key).isDone)
    }
}
