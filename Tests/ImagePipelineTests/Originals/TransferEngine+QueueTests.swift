import HTTPCache
import HTTPSemantics
import ImagePipeline
import LinuxSystem
import OriginTransfer
import TestSupport
import Testing

/// How long downloads wait for a connection, and when they are refused or dropped instead.
@Suite(.timeLimit(.minutes(1)))
struct TransferEngineQueueTests {
    private let time = ManualTime()
    private let accounts = ClientAccounts()
    /// Each opens for the request with its number, from 1 on.
    private let gates: [ScriptedGate]
    private let origin: ScriptedOrigin
    private let engine: TransferEngine

    init() throws {
        let gates = try (0..<9).map { _ in try ScriptedGate() }
        self.gates = gates
        origin = try ScriptedOrigin { request, connection in
            if request.number <= gates.count { gates[request.number - 1].wait() }
            connection.respond(text: "x")
        }
        var configuration = TransferEngine.Configuration()
        configuration.accounts = accounts
        engine = try TransferEngine(configuration: configuration, time: time)
    }

    private func load(
        _ path: String,
        of account: String? = "192.0.2.1",
        _ priority: RequestPriority = .normal,
        connections: Int = 1
    ) -> Outcome {
        var fetch = OriginFetch.local(origin, path, .local(connections: connections))
        fetch.priority = priority
        fetch.account = account
        let outcome = Outcome()
        _ = engine.load(fetch, completion: outcome.set)
        return outcome
    }

    /// Lets four transfers of background work take some seconds each, while the fifth waits, which then holds the connection.
    ///
    /// - Returns: the fifth.
    private func observe(seconds: Int64) async -> Outcome {
        let outcomes = (1...5).map { load("/\($0)", of: nil, .background) }
        for number in 1...4 {
            await origin.arrival(of: number)
            time.advance(seconds: seconds)
            gates[number - 1].open()
            #expect(await outcomes[number - 1].failure == nil)
        }
        await origin.arrival(of: 5)
        return outcomes[4]
    }

    @Test func `a download that would wait longer than the queue's time is refused at once`() async throws {
        let first = await observe(seconds: 3)
        let reason = "loads from this origin are waiting for too long"
        #expect(await load("/second").failure == .overloaded(reason))
        #expect(await load("/third", of: "192.0.2.2").failure == .overloaded(reason))
        // No client waits for background work.
        let background = load("/background", of: nil, .background)
        try await suspendWhile(engine.statistics.waiting < 1)
        #expect(engine.statistics.refusedByWait == 2)
        gates[4].open()
        gates[5].open()
        #expect(await first.failure == nil)
        #expect(await background.failure == nil)
        #expect(origin.requests == 6)
    }

    @Test func `quick transfers let others wait`() async throws {
        let first = await observe(seconds: 0)
        let second = load("/second")
        try await suspendWhile(engine.statistics.waiting < 1)
        gates[4].open()
        gates[5].open()
        #expect(await first.failure == nil)
        #expect(await second.failure == nil)
    }

    @Test func `a download that has waited for the queue's time is dropped, background work is not`() async throws {
        let first = load("/first")
        await origin.arrival(of: 1)
        let (late, background) = (load("/late"), load("/background", of: nil, .background))
        try await suspendWhile(engine.statistics.waiting < 2)
        time.advance(seconds: 2)
        // Any message wakes the thread.
        engine.endWaiting(of: "none")
        #expect(await late.failure == .overloaded("no connection to the origin became available in time"))
        #expect(engine.statistics.expired == 1)
        gates[0].open()
        gates[1].open()
        #expect(await first.failure == nil)
        #expect(await background.failure == nil)
    }

    @Test func `what cannot end within its total timeout is dropped when a connection is free`() async throws {
        // Background work uses two of three connections, and takes a second each time.
        let background = (1...6).map { load("/\($0)", of: nil, .background, connections: 3) }
        for pair in [1, 3] {
            await origin.arrival(of: pair + 1)
            time.advance(seconds: 1)
            for number in [pair, pair + 1] { gates[number - 1].open() }
        }
        await origin.arrival(of: 6)
        let other = load("/other", of: "192.0.2.2", connections: 3)
        await origin.arrival(of: 7)
        var source = SourceRule.local(connections: 3)
        source.timeouts.total = 1_800
        var fetch = OriginFetch.local(origin, "/late", source)
        fetch.account = "192.0.2.1"
        let late = Outcome()
        _ = engine.load(fetch, completion: late.set)
        try await suspendWhile(engine.statistics.waiting < 1)
        time.advance(seconds: 1)
        gates[6].open()
        #expect(await other.failure == nil)
        #expect(await late.failure == .overloaded("the download could not end in time"))
        for gate in gates { gate.open() }
        for outcome in background { #expect(await outcome.failure == nil) }
        #expect(origin.requests == 7)
    }

    @Test func `a redirect may wait for longer, since its load has begun`() async throws {
        let (moving, holding) = (try ScriptedGate(), try ScriptedGate())
        let origin = try ScriptedOrigin { request, connection in
            switch request.target {
            case "/moved":
                moving.wait()
                connection.respond("302 Found", ["Location: /target"], text: "")
            case "/held":
                holding.wait()
                connection.respond(text: "x")
            default: connection.respond(text: "x")
            }
        }
        func load(_ path: String) -> Outcome {
            let outcome = Outcome()
            _ = engine.load(.local(origin, path, .local(connections: 1)), completion: outcome.set)
            return outcome
        }
        let moved = load("/moved")
        await origin.arrival(of: 1)
        let held = load("/held")
        try await suspendWhile(engine.statistics.waiting < 1)
        moving.open()
        await origin.arrival(of: 2)
        try await suspendWhile(engine.statistics.waiting < 1)
        time.advance(seconds: 3)
        engine.endWaiting(of: "none")
        holding.open()
        #expect(await held.failure == nil)
        #expect(await moved.failure == nil)
        #expect(engine.statistics.expired == 0)
    }

    @Test func `one client's downloads of a hanging origin do not delay another's`() async throws {
        let gates = gates
        let hanging = (0..<20).map { load("/hanging\($0)", connections: 4) }
        await origin.arrival(of: 3)
        try await suspendWhile(engine.statistics.waiting < 17)
        #expect(accounts.use(of: "192.0.2.1").downloads == 3)
        #expect(accounts.use(of: "192.0.2.1").waitingDownloads == 17)
        let other = load("/other", of: "192.0.2.2", connections: 4)
        await origin.arrival(of: 4)
        gates[3].open()
        #expect(await other.failure == nil)
        #expect(origin.heads[3].hasPrefix("GET /other "))
        for gate in gates { gate.open() }
        for outcome in hanging { #expect(await outcome.failure == nil) }
        #expect(accounts.count == 0)
    }
}
