import HTTPCache
import HTTPSemantics
import ImagePipeline
import LinuxSystem
import OriginTransfer
import TestSupport
import Testing

/// The order in which requests reach an origin, measured at the origin.
@Suite(.timeLimit(.minutes(1)))
struct TransferEngineOrderTests {
    private let time = ManualTime()
    private let gate: ScriptedGate
    private let origin: ScriptedOrigin

    init() throws {
        let gate = try ScriptedGate()
        self.gate = gate
        // The first request holds the only connection until the others wait.
        origin = try ScriptedOrigin { request, connection in
            if request.number == 1 { gate.wait() }
            connection.respond(text: "x")
        }
    }

    private func engine(_ scheduling: TransferScheduling = TransferScheduling()) throws -> TransferEngine {
        var configuration = TransferEngine.Configuration()
        configuration.scheduling = scheduling
        return try TransferEngine(configuration: configuration, time: time)
    }

    private func load(_ name: String, _ priority: RequestPriority, _ engine: TransferEngine) -> Outcome {
        var fetch = OriginFetch.local(origin, "/\(name)", .local(connections: 1))
        fetch.priority = priority
        let outcome = Outcome()
        _ = engine.load(fetch, completion: outcome.set)
        return outcome
    }

    /// The paths in the order of their requests, without the first.
    private var order: [String] {
        origin.heads.dropFirst().compactMap {
            $0.split(separator: " ").dropFirst().first.map { String($0.dropFirst()) }
        }
    }

    @Test func `requests of mixed priorities arrive in the order of their priority`() async throws {
        let engine = try engine()
        var outcomes = [load("first", .normal, engine)]
        await origin.arrival(of: 1)
        let waiting: [(String, RequestPriority)] = [
            ("b1", .background), ("l1", .low), ("n1", .normal), ("h1", .high), ("b2", .background), ("n2", .normal),
            ("h2", .high), ("l2", .low),
        ]
        for (name, priority) in waiting { outcomes.append(load(name, priority, engine)) }
        try await suspendWhile(engine.statistics.waiting < waiting.count)
        gate.open()
        for outcome in outcomes { #expect(await outcome.failure == nil) }
        #expect(order == ["h1", "h2", "n1", "n2", "l1", "l2", "b1", "b2"])
    }

    @Test func `what has waited long precedes what is more urgent and new`() async throws {
        let engine = try engine(TransferScheduling(ageing: 1_000))
        var outcomes = [load("first", .normal, engine)]
        await origin.arrival(of: 1)
        outcomes.append(load("old", .background, engine))
        try await suspendWhile(engine.statistics.waiting < 1)
        time.advance(seconds: 3)
        outcomes.append(load("new", .high, engine))
        try await suspendWhile(engine.statistics.waiting < 2)
        gate.open()
        for outcome in outcomes { #expect(await outcome.failure == nil) }
        #expect(order == ["old", "new"])
    }

    @Test func `a raised load starts by its new priority, and keeps its age`() async throws {
        let engine = try engine(TransferScheduling(ageing: 1_000))
        var outcomes = [load("first", .normal, engine)]
        await origin.arrival(of: 1)
        var fetch = OriginFetch.local(origin, "/raised", .local(connections: 1))
        fetch.priority = .background
        let clients = WaitingClients()
        fetch.claims = clients.claims
        let raised = Outcome()
        let handle = engine.load(fetch, completion: raised.set)
        outcomes.append(raised)
        try await suspendWhile(engine.statistics.waiting < 1)
        time.advance(seconds: 1)
        for (name, priority) in [("l1", RequestPriority.low), ("n1", .normal), ("h1", .high)] {
            outcomes.append(load(name, priority, engine))
        }
        try await suspendWhile(engine.statistics.waiting < 4)
        for priority in [RequestPriority.normal, .low] {
            // Lower ones change nothing.
            clients.all = [Claim(nil, .normal), Claim(nil, priority)]
            handle.waitersChanged()
        }
        // As old as one step: as urgent as the newer one of the highest priority, and older.
        outcomes.append(load("h2", .high, engine))
        try await suspendWhile(engine.statistics.waiting < 5)
        gate.open()
        for outcome in outcomes { #expect(await outcome.failure == nil) }
        #expect(order == ["raised", "h1", "h2", "n1", "l1"])
    }

    @Test func `downloads of foreign hosts together take no more than their share`() async throws {
        var configuration = TransferEngine.Configuration(transfers: 8)
        configuration.scheduling.foreign = 3
        configuration.scheduling.queueTime = 60_000
        let engine = try TransferEngine(configuration: configuration)
        let gate = gate
        let hosts = try (0..<5).map { _ in
            try ScriptedOrigin { _, connection in
                gate.wait()
                connection.respond(text: "late")
            }
        }
        // As through `/fetch`.
        let late = hosts.map { host in
            let outcome = Outcome()
            _ = engine.load(.local(host, "/", .local(name: "fetch")), completion: outcome.set)
            return outcome
        }
        try await suspendWhile(engine.statistics.active < 3 || engine.statistics.waiting < 2)
        let other = try ScriptedOrigin { _, connection in connection.respond(text: "now") }
        var source = SourceRule.local(name: "configured")
        source.location = .http(prefix: other.url + "/")
        for number in 0..<20 { #expect(await engine.failure(.local(other, "/\(number)", source)) == nil) }
        #expect(engine.statistics.waiting == 2)
        gate.open()
        for outcome in late { #expect(await outcome.failure == nil) }
    }

    @Test func `under overload the newest arrive first, and the oldest are dropped as overload`() async throws {
        let engine = try engine(TransferScheduling(waiting: 4, newestFirstAbove: 1))
        let first = load("first", .normal, engine)
        await origin.arrival(of: 1)
        let outcomes = (1...6).map { load("\($0)", .normal, engine) }
        for dropped in outcomes[..<2] {
            #expect(await dropped.failure == .overloaded("too many loads are waiting for origins"))
        }
        gate.open()
        #expect(await first.failure == nil)
        for outcome in outcomes[2...] { #expect(await outcome.failure == nil) }
        #expect(order == ["6", "5", "4", "3"])
        #expect(engine.statistics.dropped == 2)
    }

    @Test func `a host that hangs takes no more than its share, and others are served`() async throws {
        var configuration = TransferEngine.Configuration(transfers: 8)
        configuration.scheduling.perHost = 5
        configuration.scheduling.queueTime = 60_000
        let engine = try TransferEngine(configuration: configuration)
        let gate = gate
        let hanging = try ScriptedOrigin { _, connection in
            gate.wait()
            connection.respond(text: "late")
        }
        // Two sources of one host: 4 connections each, 5 together.
        let sources = ["a", "b"].map { SourceRule.local(name: $0, connections: 4) }
        let late = (0..<100).map { number in
            let outcome = Outcome()
            _ = engine.load(.local(hanging, "/\(number)", sources[number % 2]), completion: outcome.set)
            return outcome
        }
        await hanging.arrival(of: 5)
        let other = try ScriptedOrigin { _, connection in connection.respond(text: "now") }
        for number in 0..<100 { #expect(await engine.failure(.local(other, "/\(number)")) == nil) }
        #expect(hanging.requests == 5)
        #expect(engine.statistics.waiting == 95)
        gate.open()
        for outcome in late { #expect(await outcome.failure == nil) }
        #expect(hanging.mostActiveRequests == 5)
    }

    @Test func `tells the time of each phase`() async throws {
        let engine = try TransferEngine()
        let origin = try ScriptedOrigin { _, connection in connection.respond(text: "x") }
        let first = try await engine.result(.local(origin)).get().phases
        #expect(first.connect > 0 && first.firstByte >= first.connect)
        #expect(first.secure == 0)
        // The second request finds a connection.
        #expect(try await engine.result(.local(origin)).get().phases.connect == 0)
        let phases = engine.statistics.phases
        #expect(phases.connect.cumulative.last == 1)
        #expect(phases.resolve.cumulative.last == 1)
        #expect(phases.secure.cumulative.last == 0)
        #expect(phases.firstByte.cumulative.last == 2)
        #expect(phases.total.cumulative.last == 2)
        #expect(phases.queue.cumulative.last == 2)
        #expect(phases.total.sum >= phases.firstByte.sum)
    }
}
