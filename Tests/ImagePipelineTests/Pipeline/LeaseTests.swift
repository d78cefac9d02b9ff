import Cluster
import HTTPCache
import HTTPSemantics
import ImagePipeline
import LinuxSystem
import OriginTransfer
import TestSupport
import Testing

/// Pipelines over one bucket of SeaweedFS that own no originals.
@Suite(.timeLimit(.minutes(1)), .enabled(if: SeaweedFS.isWanted))
struct LeaseTests {
    private let prefix: String
    private let leases = ScriptedLeases()

    init() throws { prefix = try SeaweedFS.prefix() }

    @Test func `a download waits for its turn, and its lease ends when the store has the original`() throws {
        let node = try ClusterNode(prefix, leases: leases)
        let pending = node.rig.ask("a.png", nil)
        _ = try leases.wait(for: 1)
        try node.rig.drainLane()
        #expect(node.rig.loader.all.isEmpty)
        try leases.grant(1)
        try node.rig.loader.wait(for: 1)[0].answer(node.rig.png(), at: 1000, cacheControl: "max-age=60")
        #expect(try pending.value().status == .miss)
        try leases.wait(forEnds: [.shared])
        // The record was there before.
        let other = try ClusterNode(prefix)
        #expect(try other.rig.ask("a.png", nil).value().status == .hit(.shared))
        #expect(node.store.statistics.writes == 1)
        // A hit asks nobody.
        _ = try node.rig.ask("a.png", nil).value()
        #expect(leases.all.count == 1 && node.rig.loader.all.count == 1)
    }

    @Test func `what another node has downloaded meanwhile is not downloaded`() throws {
        let (one, other) = try (ClusterNode(prefix), ClusterNode(prefix, leases: leases))
        let pending = other.rig.ask("a.png", "?w=320&format=png")
        let request = try leases.wait(for: 1)[0]
        _ = try one.fill("a.png", width: 320)
        request.look()
        let answer = try pending.value()
        #expect(answer.status == .hit(.shared))
        #expect(other.rig.loader.all.isEmpty && other.rig.transformer.all.isEmpty)
        // It is stored here.
        _ = try other.rig.ask("a.png", nil).value()
        #expect(other.rig.loader.all.isEmpty && leases.all.count == 1)
    }

    @Test func `what was purged meanwhile is downloaded, and what is in doubt validated`() throws {
        let (one, other) = try (ClusterNode(prefix), ClusterNode(prefix, leases: leases))
        for (number, verdict) in [SharedVerdict.purged, .stale].enumerated() {
            let pending = other.rig.ask("\(number).png", nil)
            let request = try leases.wait(for: number + 1)[number]
            let filling = one.rig.ask("\(number).png", nil)
            try one.rig.loader.wait(for: number + 1)[number].answer(
                one.rig.png(),
                at: one.rig.time.wallSeconds,
                cacheControl: "max-age=60",
                entityTag: "\"v1\""
            )
            _ = try filling.value()
            try one.settle()
            other.set(verdict)
            request.look()
            let load = try other.rig.loader.wait(for: number + 1)[number]
            #expect(load.fetch.entityTag == (verdict == .stale ? "\"v1\"" : nil))
            if verdict == .stale {
                load.answerNotModified(at: other.rig.time.wallSeconds, cacheControl: "max-age=60")
            } else {
                load.answer(other.rig.png(), at: other.rig.time.wallSeconds, cacheControl: "max-age=60")
            }
            _ = try pending.value()
            other.set(.usable)
        }
    }

    @Test func `without advice the download begins, and shares its original`() throws {
        let node = try ClusterNode(prefix, leases: leases)
        let pending = node.rig.ask("a.png", nil)
        try leases.wait(for: 1)[0].free()
        try node.rig.loader.wait(for: 1)[0].answer(node.rig.png(), at: 1000, cacheControl: "max-age=60")
        #expect(try pending.value().status == .miss)
        try node.settle()
        #expect(node.store.statistics.writes == 1)
    }

    @Test func `a lease ends when the original cannot be shared`() throws {
        let node = try ClusterNode(prefix, leases: leases)
        func load(_ number: Int) throws -> (PendingAnswer, ScriptedLoader.Load) {
            let pending = node.rig.ask("\(number).png", nil)
            try leases.grant(number)
            return (pending, try node.rig.loader.wait(for: number)[number - 1])
        }
        let (secret, first) = try load(1)
        first.answer(node.rig.png(), at: 1000, cacheControl: "no-store")
        _ = try secret.value()
        try leases.wait(forEnds: [.unshareable])
        let (missing, second) = try load(2)
        second.refuse(404, at: 1000)
        _ = try missing.error()
        try leases.wait(forEnds: [.unshareable, .failed])
        let (text, third) = try load(3)
        third.answer(Array("no image".utf8), at: 1000, cacheControl: "max-age=60")
        _ = try text.error()
        try leases.wait(forEnds: [.unshareable, .failed, .failed])
        let (left, fourth) = try load(4)
        left.leave()
        try fourth.waitForCancel()
        try leases.wait(forEnds: [.unshareable, .failed, .failed, .abandoned])
        let (purged, fifth) = try load(5)
        #expect(node.rig.pipeline.purge(.all) { _ in })
        fifth.answer(node.rig.png(), at: 1000, cacheControl: "max-age=60")
        _ = try purged.value()
        try leases.wait(forEnds: [.unshareable, .failed, .failed, .abandoned, .abandoned])
        #expect(node.store.statistics.writes == 0)
    }

    @Test func `a state of one node ends its lease as abandoned, so that another node asks the origin`() throws {
        let node = try ClusterNode(prefix, leases: leases)
        let failures: [PipelineError] = [
            .circuitOpen(secondsLeft: 5), .sourceSuspended, .sourceOffline, .originUnreachable("refused"),
        ]
        let ends: [DownloadLease.End] = [.abandoned, .abandoned, .abandoned, .failed]
        for (number, failure) in failures.enumerated() {
            let pending = node.rig.ask("\(number).png", nil)
            try leases.grant(number + 1)
            try node.rig.loader.wait(for: number + 1)[number].fail(failure)
            _ = try pending.error()
            try leases.wait(forEnds: Array(ends[...number]))
        }
    }

    @Test func `requests with a CDN-Loop of their own wait only for each other`() throws {
        let node = try ClusterNode(prefix, leases: leases)
        let callers = [OriginCaller.nobody, OriginCaller(cdnLoop: "a"), OriginCaller(cdnLoop: "b")]
        let all = callers.map { node.rig.ask("a.png", nil, caller: $0) }
        #expect(Set(try leases.wait(for: 3).map(\.key)).count == 3)
        for pending in all { pending.leave() }
    }

    @Test func `downloads that other nodes need not know of take no lease`() throws {
        let node = try ClusterNode(prefix, outOfTouch: .revalidate, leases: leases)
        let rig = node.rig
        rig.stayInTouch()
        var count = 0
        func expectDownload(_ note: String, _ path: String, _ demand: CacheDemand = .none, cache: CacheTiers = .all)
            throws
        {
            count += 1
            let pending = rig.ask(path, nil, cache: cache, demand: demand)
            let load = try rig.loader.wait(for: count)[count - 1]
            load.answer(rig.png(), at: rig.time.wallSeconds, cacheControl: "max-age=1", entityTag: "\"\(count)\"")
            _ = try pending.value()
            #expect(leases.all.isEmpty, "\(note)")
        }
        var fresh = CacheControl()
        fresh.noCache = .whole
        try expectDownload("no-cache", "a.png", CacheDemand(fresh, isTrusted: true))
        rig.time.advance(seconds: 10)
        rig.stayInTouch()
        try expectDownload("a validation", "a.png")
        try expectDownload("not shared", "b.png", cache: .memory)
        rig.progress.loseTouch()
        try expectDownload("out of touch", "c.png")
        rig.stayInTouch()
        // A failure that is remembered is the answer at once.
        let failing = rig.ask("d.png", nil)
        try leases.wait(for: 1)[0].free()
        try rig.loader.wait(for: count + 1)[count].refuse(404, at: rig.time.wallSeconds)
        _ = try failing.error()
        _ = try rig.ask("d.png", nil).error()
        #expect(leases.all.count == 1 && rig.loader.all.count == count + 1)
    }

    @Test func `a request whose time is nearly over waits for no node`() throws {
        let node = try ClusterNode(prefix, leases: leases)
        let now = node.rig.time.monotonic
        let late = node.rig.ask("a.png", nil, deadline: SharedDeadline(now + 3_000_000_000))
        try node.rig.loader.wait(for: 1)[0].answer(node.rig.png(), at: 1000)
        _ = try late.value()
        #expect(leases.all.isEmpty)
        let early = node.rig.ask("b.png", nil, deadline: SharedDeadline(now + 30_000_000_000))
        try leases.wait(for: 1)[0].free()
        early.leave()
    }

    @Test func `with a dead store nobody waits`() throws {
        let origin = try ScriptedOrigin { _, _ in }
        origin.stop()
        let node = try ClusterNode(prefix, endpoint: origin.url, leases: leases)
        // The fifth failure suspends look-ups. Nothing is written.
        for number in 0..<8 {
            let pending = node.rig.ask("\(number).png", nil)
            if number < 4 { try leases.wait(for: number + 1)[number].free() }
            let load = try node.rig.loader.wait(for: number + 1)[number]
            load.answer(node.rig.png(), at: 1000, cacheControl: "no-store")
            #expect(try pending.value().status == .miss)
        }
        #expect(node.store.statistics.isReadingSuspended && leases.all.count == 4)
    }

    @Test func `while writes to the store fail, nobody waits`() throws {
        let origin = try ScriptedOrigin { request, connection in
            connection.respond(request.method == "PUT" ? "500 Internal Server Error" : "404 Not Found")
        }
        let node = try ClusterNode(prefix, endpoint: origin.url, leases: leases)
        for number in 0..<3 {
            let pending = node.rig.ask("\(number).png", nil)
            // Each of two originals is written three times; the fifth failure suspends writes.
            if number < 2 { try leases.grant(number + 1) }
            let load = try node.rig.loader.wait(for: number + 1)[number]
            load.answer(node.rig.png(), at: 1000, cacheControl: "max-age=60")
            #expect(try pending.value().status == .miss)
            if number == 0 { try leases.wait(forEnds: [.abandoned]) }
            if number == 1 { try waitWhile(!node.store.statistics.isWritingSuspended) }
        }
        #expect(leases.all.count == 2)
    }

    // MARK: With Valkey

    /// Two nodes with leases in a server, that wait for slow machines.
    private func pair(_ server: RedisServer) throws -> [(node: ClusterNode, leases: DownloadLeases)] {
        try (0..<2).map { _ in
            var times = LeaseTimes()
            (times.lease, times.budget, times.connect) = (60_000_000_000, 15_000_000_000, 15_000_000_000)
            let leases = DownloadLeases(location: try LogLocation(server.location), name: "edge", times: times)
            try leases.start()
            try waitWhile(!leases.isConnected)
            return (try ClusterNode(prefix, leases: leases), leases)
        }
    }

    @Test(.enabled(if: RedisServer.isEnabled))
    func `two nodes that are asked at once for a cold original download it once`() throws {
        let server = try RedisServer()
        let nodes = try pair(server)
        defer { for node in nodes { node.leases.stop() } }
        var loads = [0, 0]
        for number in 0..<10 {
            let pending = nodes.flatMap { node, _ in (0..<4).map { _ in node.rig.ask("\(number).png", nil) } }
            var holder: Int?
            while holder == nil { holder = nodes.indices.first { nodes[$0].node.rig.loader.all.count > loads[$0] } }
            let index = try #require(holder)
            let rig = nodes[index].node.rig
            rig.loader.all[loads[index]].answer(rig.png(), at: 1000, cacheControl: "max-age=60")
            loads[index] += 1
            for answer in pending { #expect(try answer.value().entity.description.length == rig.png().count) }
            #expect(nodes.map(\.node.rig.loader.all.count) == loads)
        }
        #expect(nodes.reduce(0) { $0 + ($1.leases.results[.taken] ?? 0) } == 10)
        #expect(nodes.reduce(0) { $0 + ($1.leases.results[.unavailable] ?? 0) } == 0)
    }

    @Test(.enabled(if: RedisServer.isEnabled))
    func `without the server both nodes download`() throws {
        let server = try RedisServer()
        let nodes = try pair(server)
        defer { for node in nodes { node.leases.stop() } }
        server.kill()
        let pending = nodes.map { $0.node.rig.ask("a.png", nil) }
        for (node, _) in nodes {
            try node.rig.loader.wait(for: 1)[0].answer(node.rig.png(), at: 1000, cacheControl: "max-age=60")
        }
        for answer in pending { #expect(try answer.value().status == .miss) }
        #expect(nodes.allSatisfy { $0.leases.results == [.unavailable: 1] })
    }
}
