import HTTPCache
import HTTPSemantics
import ImagePipeline
import LinuxSystem
import OriginTransfer
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct TransferRepetitionTests {
    private let engine: TransferEngine

    init() throws {
        engine = try TransferEngine(configuration: Self.configuration())
    }

    private static func configuration(_ random: Double = 0) -> TransferEngine.Configuration {
        var configuration = TransferEngine.Configuration()
        configuration.random = { random }
        return configuration
    }

    /// An origin that fails a number of times before it responds with `x`.
    private func origin(failing count: Int, _ fault: @escaping @Sendable (ScriptedConnection) -> Void) throws
        -> ScriptedOrigin
    {
        try ScriptedOrigin { request, connection in
            if request.number <= count { fault(connection) } else { connection.respond(text: "x") }
        }
    }

    @Test(arguments: ["502 Bad Gateway", "503 Service Unavailable", "504 Gateway Timeout"])
    func `repeats a request that the origin is not available for`(_ status: String) async throws {
        let origin = try origin(failing: 2) { $0.respond(status, text: "busy") }
        #expect(await engine.failure(.local(origin, "/a", .local(retries: 2))) == nil)
        #expect(origin.requests == 3)
        #expect(engine.statistics.retries == 2)
        #expect(engine.statistics.outcomes == [.fetched: 1])
    }

    @Test func `repeats a request whose connection is lost before the response`() async throws {
        let origin = try origin(failing: 1) { $0.close() }
        #expect(await engine.failure(.local(origin, "/a", .local(retries: 1))) == nil)
        let inHead = try self.origin(failing: 1) { connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-")
            connection.close()
        }
        #expect(await engine.failure(.local(inHead, "/a", .local(retries: 1))) == nil)
        #expect(origin.requests == 2 && inHead.requests == 2)
    }

    @Test func `repeats a request without a response in time`() async throws {
        let origin = try origin(failing: 1) { $0.waitForPeer() }
        let timeouts = SourceRule.Timeouts(firstByte: 100)
        #expect(await engine.failure(.local(origin, "/a", .local(timeouts: timeouts, retries: 1))) == nil)
        #expect(origin.requests == 2)
    }

    @Test func `ends with the last failure when the repetitions are used up`() async throws {
        let origin = try ScriptedOrigin { request, connection in
            connection.respond(request.number < 3 ? "503 Service Unavailable" : "504 Gateway Timeout", text: "x")
        }
        #expect(await engine.failure(.local(origin, "/a", .local(retries: 2))) == .originStatus(504))
        #expect(origin.requests == 3)
        origin.stop()
        await origin.openConnections(fallTo: 0)
        let refused = await engine.failure(.local(origin, "/a", .local(retries: 2)))
        #expect(refused == .originUnreachable("the connection failed"))
        #expect(engine.statistics.retries == 4)
    }

    @Test(arguments: ["404 Not Found", "500 Internal Server Error", "429 Too Many Requests", "403 Forbidden"])
    func `repeats no request that was answered`(_ status: String) async throws {
        let origin = try ScriptedOrigin { $1.respond(status, text: "x") }
        #expect(
            await engine.failure(.local(origin, "/a", .local(retries: 5))) == .originStatus(Int(status.prefix(3)) ?? 0)
        )
        #expect(origin.requests == 1)
    }

    @Test(arguments: [0.0, 1.0])
    func `waits for half of the pause, and for a random part of the other`(_ random: Double) async throws {
        let engine = try TransferEngine(configuration: Self.configuration(random))
        let origin = try origin(failing: 2) { $0.close() }
        let start = SystemTime().monotonic
        #expect(await engine.failure(.local(origin, "/a", .local(retries: 2))) == nil)
        // 100 ms, then 200 ms at most.
        #expect(SystemTime().monotonic - start >= (random == 0 ? 150_000_000 : 300_000_000))
    }

    @Test func `waits as long as Retry-After says`() async throws {
        let time = ManualTime()
        let engine = try TransferEngine(configuration: Self.configuration(), time: time)
        let origin = try ScriptedOrigin { request, connection in
            guard request.number == 1 else { return connection.respond(text: "x") }
            connection.respond("503 Service Unavailable", ["Retry-After: 2"], text: "x")
        }
        let outcome = Outcome()
        _ = engine.load(.local(origin, "/a", .local(retries: 1)), completion: outcome.set)
        try await suspendWhile(engine.statistics.retries < 1)
        time.advance(seconds: 1)
        #expect(await engine.failure(.local(origin, "/other")) == nil)
        #expect(origin.requests == 2)
        time.advance(seconds: 1)
        #expect(await outcome.failure == nil)
        #expect(origin.requests == 3)
    }

    @Test func `leaves a Retry-After to the client that is too long, or beyond the deadline`() async throws {
        let origin = try ScriptedOrigin { request, connection in
            connection.respond("503 Service Unavailable", ["Retry-After: \(request.target.dropFirst())"], text: "x")
        }
        #expect(await engine.failure(.local(origin, "/6", .local(retries: 1))) == .originStatus(503))
        let timeouts = SourceRule.Timeouts(total: 2_000)
        #expect(
            await engine.failure(.local(origin, "/3", .local(timeouts: timeouts, retries: 1))) == .originStatus(503)
        )
        var fetch = OriginFetch.local(origin, "/3", .local(retries: 1))
        fetch.deadline = SystemTime().monotonic + 2_000_000_000
        #expect(await engine.failure(fetch) == .originStatus(503))
        #expect(origin.requests == 3)
    }

    @Test(arguments: [("POST", 1), ("PUT", 1), ("DELETE", 1), ("GET", 3), ("HEAD", 3), ("OPTIONS", 3)])
    func `repeats safe requests of raw sources only`(_ method: String, _ count: Int) async throws {
        let origin = try ScriptedOrigin { _, connection in connection.close() }
        var fetch = OriginFetch.local(origin, "/a", .local(retries: 2))
        fetch.exchange = OriginFetch.Exchange(method: method, fields: FieldLines(), body: [])
        #expect(await engine.failure(fetch) != nil)
        #expect(origin.requests == count)
    }

    @Test func `passes on the content of the last failure of a raw source`() async throws {
        let origin = try ScriptedOrigin { request, connection in
            connection.send("HTTP/1.1 503 Service Unavailable\r\nTransfer-Encoding: chunked\r\n\r\n")
            connection.send("5\r\nbusy\(request.number)\r\n0\r\n\r\n")
        }
        var fetch = OriginFetch.local(origin, "/a", .local(retries: 1))
        fetch.exchange = OriginFetch.Exchange(method: "GET", fields: FieldLines(), body: [])
        let announced = Signal(0)
        let response = try await withCheckedThrowingContinuation { continuation in
            _ = engine.load(fetch, arrival: { _ in announced.update { $0 += 1 } }) {
                continuation.resume(with: $0)
            }
        }
        #expect(response.status == 503 && origin.requests == 2)
        // The first one was withheld.
        #expect(announced.value == 1)
        guard case .file(let body) = response.content else { throw NoBody() }
        #expect(try body.bytes() == Array("busy2".utf8))
    }

    @Test func `does not ask a host again whose breaker opens, and probes once`() async throws {
        let origin = try ScriptedOrigin { $1.respond("503 Service Unavailable", text: "x") }
        let time = ManualTime()
        var configuration = Self.configuration()
        configuration.breaker = BreakerPolicy(failures: 1, pause: 5_000, pauseMaximum: 60_000)
        let engine = try TransferEngine(configuration: configuration, time: time)
        #expect(await engine.failure(.local(origin, "/a", .local(retries: 3))) == .originStatus(503))
        #expect(origin.requests == 1)
        time.advance(seconds: 5)
        #expect(await engine.failure(.local(origin, "/a", .local(retries: 3))) == .originStatus(503))
        #expect(origin.requests == 2)
    }

    @Test func `does not repeat requests of a suspended source`() async throws {
        let suspended = SuspendedSources()
        var configuration = Self.configuration()
        configuration.isSuspended = { suspended.mode(of: $0) != nil }
        let time = ManualTime()
        let engine = try TransferEngine(configuration: configuration, time: time)
        let origin = try ScriptedOrigin { request, connection in
            if request.target == "/b" { suspended.set("test", to: .suspended) }
            connection.respond("503 Service Unavailable", text: "x")
        }
        let pausing = Outcome()
        _ = engine.load(.local(origin, "/a", .local(retries: 1)), completion: pausing.set)
        try await suspendWhile(engine.statistics.retries < 1)
        #expect(await engine.failure(.local(origin, "/b", .local(retries: 1))) == .originStatus(503))
        engine.endWaiting(of: "test")
        #expect(await pausing.failure == .sourceSuspended)
        #expect(origin.requests == 2)
    }

    @Test func `waits in the queue again`() async throws {
        let gate = try ScriptedGate()
        let origin = try ScriptedOrigin { request, connection in
            guard request.number > 1 else { return connection.respond("503 Service Unavailable", text: "x") }
            if request.target == "/b" { gate.wait() }
            connection.respond(text: "x")
        }
        let source = SourceRule.local(connections: 1, retries: 1)
        let (first, second) = (Outcome(), Outcome())
        _ = engine.load(.local(origin, "/a", source), completion: first.set)
        _ = engine.load(.local(origin, "/b", source), completion: second.set)
        await origin.arrival(of: 2)
        try await suspendWhile(engine.statistics.waiting < 1)
        gate.open()
        #expect(await first.failure == nil)
        #expect(await second.failure == nil)
        #expect(origin.mostActiveRequests == 1 && origin.requests == 3)
    }

    @Test func `can be cancelled during the pause`() async throws {
        let engine = try TransferEngine(configuration: Self.configuration(), time: ManualTime())
        let origin = try ScriptedOrigin { $1.respond("503 Service Unavailable", text: "x") }
        let outcome = Outcome()
        let handle = engine.load(.local(origin, "/a", .local(retries: 1)), completion: outcome.set)
        try await suspendWhile(engine.statistics.retries < 1)
        handle.cancel()
        #expect(await outcome.failure == .cancelled)
        #expect(origin.requests == 1 && engine.statistics.active == 0)
    }
}
