import HTTPCache
import ImagePipeline
import OriginTransfer
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct TransferConcurrencyTests {
    /// Starts a number of loads at once; the results are in the order of the calls.
    private func results(
        _ count: Int,
        _ engine: TransferEngine,
        _ fetch: @escaping @Sendable (Int) -> OriginFetch
    ) async -> [Result<FetchedResponse, PipelineError>] {
        await withTaskGroup(of: (Int, Result<FetchedResponse, PipelineError>).self) { group in
            for number in 0..<count { group.addTask { (number, await engine.result(fetch(number))) } }
            var results: [Int: Result<FetchedResponse, PipelineError>] = [:]
            for await (number, result) in group { results[number] = result }
            return (0..<count).compactMap { results[$0] }
        }
    }

    @Test func `runs 200 loads over no more connections than the source allows`() async throws {
        let engine = try TransferEngine()
        let gate = try ScriptedGate()
        let origin = try ScriptedOrigin { request, connection in
            gate.wait()
            connection.respond(text: request.target)
        }
        async let loads = results(200, engine) { .local(origin, "/\($0)") }
        // The gate holds the first six requests; only a seventh connection could deliver a seventh.
        await origin.arrival(of: 6)
        gate.open()
        for (number, result) in await loads.enumerated() {
            guard case .file(let body)? = try? result.get().content else {
                Issue.record("\(number): \(result)")
                continue
            }
            #expect(try body.bytes() == Array("/\(number)".utf8))
        }
        #expect(origin.requests == 200)
        #expect(origin.mostActiveRequests == 6)
        #expect(origin.connections == 6)
        #expect(engine.statistics.outcomes == [.fetched: 200])
        #expect(engine.statistics.newConnections == 6)
    }

    @Test func `limits transfers over all hosts`() async throws {
        let engine = try TransferEngine(configuration: TransferEngine.Configuration(transfers: 3))
        let gate = try ScriptedGate()
        let origins = try (0..<4).map { _ in
            try ScriptedOrigin { _, connection in
                gate.wait()
                connection.respond(text: "x")
            }
        }
        async let loads = results(16, engine) { .local(origins[$0 % 4]) }
        try await suspendWhile(origins.reduce(0, { $0 + $1.requests }) < 3)
        try await suspendWhile(engine.statistics.waiting < 13)
        #expect(engine.statistics.active == 3)
        #expect(origins.reduce(0) { $0 + $1.requests } == 3)
        gate.open()
        #expect(await loads.allSatisfy { (try? $0.get()) != nil })
        #expect(origins.allSatisfy { $0.requests == 4 })
    }

    @Test func `refuses loads over the limit as overload`() async throws {
        let engine = try TransferEngine(configuration: TransferEngine.Configuration(waiting: 2))
        let gate = try ScriptedGate()
        let origin = try ScriptedOrigin { _, connection in
            gate.wait()
            connection.respond(text: "x")
        }
        let source = SourceRule.local(connections: 1)
        let first = Outcome()
        _ = engine.load(.local(origin, "/", source), completion: first.set)
        await origin.arrival(of: 1)
        let more = (0..<4).map { _ in Outcome() }
        for outcome in more { _ = engine.load(.local(origin, "/", source), completion: outcome.set) }
        for outcome in more[2...] {
            #expect(await outcome.failure == .overloaded("too many loads are waiting for origins"))
        }
        gate.open()
        #expect(await first.failure == nil)
        for outcome in more[..<2] { #expect(await outcome.failure == nil) }
    }

    @Test func `fails a load that waits too long for a connection`() async throws {
        let engine = try TransferEngine()
        let gate = try ScriptedGate()
        let origin = try ScriptedOrigin { _, connection in
            gate.wait()
            connection.respond(text: "x")
        }
        let first = Outcome()
        _ = engine.load(.local(origin, "/", .local(connections: 1)), completion: first.set)
        await origin.arrival(of: 1)
        let hasty = SourceRule.local(connections: 1, timeouts: SourceRule.Timeouts(total: 100))
        let expected = PipelineError.overloaded("no connection to the origin became available in time")
        #expect(await engine.failure(.local(origin, "/", hasty)) == expected)
        gate.open()
        #expect(await first.failure == nil)
        #expect(origin.requests == 1)
    }

    @Test func `cancels a running transfer and counts its bytes`() async throws {
        let engine = try TransferEngine()
        let origin = try ScriptedOrigin { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n" + String(repeating: "x", count: 1_234))
            connection.waitForPeer()
            connection.close()
        }
        let outcome = Outcome()
        let handle = engine.load(.local(origin), completion: outcome.set)
        try await suspendWhile(handle.received < 1_234)
        handle.cancel()
        handle.cancel()
        #expect(await outcome.failure == .cancelled)
        await origin.openConnections(fallTo: 0)
        #expect(await outcome.count == 1)
        #expect(handle.received == 1_234)
    }

    @Test func `cancels a waiting load, and the next one starts`() async throws {
        let engine = try TransferEngine()
        let gate = try ScriptedGate()
        let origin = try ScriptedOrigin { _, connection in
            gate.wait()
            connection.respond(text: "x")
        }
        let source = SourceRule.local(connections: 1)
        let outcomes = [Outcome(), Outcome(), Outcome()]
        let handles = outcomes.map { engine.load(.local(origin, "/", source), completion: $0.set) }
        await origin.arrival(of: 1)
        handles[1].cancel()
        #expect(await outcomes[1].failure == .cancelled)
        gate.open()
        #expect(await outcomes[0].failure == nil)
        #expect(await outcomes[2].failure == nil)
        #expect(origin.requests == 2)
        handles[0].cancel()
        #expect(await outcomes[0].count == 1)
    }

    @Test func `survives many concurrent cancellations`() async throws {
        let engine = try TransferEngine()
        let origin = try ScriptedOrigin { _, connection in connection.respond(text: "x") }
        let outcomes = (0..<300).map { _ in Outcome() }
        for (number, outcome) in outcomes.enumerated() {
            let handle = engine.load(.local(origin, "/\(number)"), completion: outcome.set)
            if number % 3 == 0 { handle.cancel() }
        }
        for (number, outcome) in outcomes.enumerated() {
            let failure = await outcome.failure
            #expect(failure == nil || (number % 3 == 0 && failure == .cancelled), "\(number)")
        }
        #expect(engine.statistics.outcomes.values.reduce(0, +) == 300)
        // No slot leaked: six more loads run.
        #expect(await results(6, engine) { _ in .local(origin) }.allSatisfy { (try? $0.get()) != nil })
    }
}
