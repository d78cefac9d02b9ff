import Glibc
import HTTPCache
import ImagePipeline
import LinuxSystem
import OriginTransfer
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct TransferEngineBreakerTests {
    private let time = ManualTime()
    private let status = ScriptedStatus()
    private let origin: ScriptedOrigin
    private let engine: TransferEngine

    /// The status of all responses, which a test changes.
    private final class ScriptedStatus: Sendable {
        private let current = Lock("503 Service Unavailable")
        var text: String {
            get { current.withLock { $0 } }
            set { current.withLock { $0 = newValue } }
        }
    }

    init() throws {
        let status = status
        origin = try ScriptedOrigin { _, connection in connection.respond(status.text, text: "x") }
        engine = try TransferEngine(
            configuration: TransferEngine.Configuration(
                breaker: BreakerPolicy(failures: 3, pause: 5_000, pauseMaximum: 60_000)
            ),
            time: time
        )
    }

    /// Requests a number of URLs one after the other, and returns the failures.
    private func failures(
        _ count: Int,
        _ source: SourceRule = .local(),
        of origin: ScriptedOrigin? = nil
    ) async -> [PipelineError?] {
        var failures: [PipelineError?] = []
        for number in 0..<count {
            failures.append(await engine.failure(.local(origin ?? self.origin, "/\(number)", source)))
        }
        return failures
    }

    private var states: [OpenBreaker.State] { engine.openBreakers.map(\.state) }

    @Test func `a load without a descriptor is an overload of this process, and no failure of the host`() async {
        await #expect(processExitsWith: .success) {
            let origin = try ScriptedOrigin { _, connection in connection.respond(text: "x") }
            let relief = DescriptorRelief()
            var configuration = TransferEngine.Configuration(breaker: BreakerPolicy(failures: 1))
            configuration.relief = relief
            let engine = try TransferEngine(configuration: configuration)
            var limit = rlimit(rlim_cur: 256, rlim_max: 256)
            guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { exit(1) }
            var taken: [CInt] = []
            while true {
                let descriptor = dup(0)
                guard descriptor >= 0 else { break }
                taken.append(descriptor)
            }
            for _ in 0..<3 {
                guard case .overloaded? = await engine.failure(.local(origin)) else { exit(2) }
            }
            guard engine.openBreakers.isEmpty, origin.requests == 0 else { exit(3) }
            let spare = Lock(taken)
            relief.set {
                spare.withLock { spare in
                    let closed = spare.suffix(16)
                    for descriptor in closed { close(descriptor) }
                    spare.removeLast(closed.count)
                    return closed.count
                }
            }
            guard try await engine.fetched(.local(origin)).bytes == Array("x".utf8) else { exit(4) }
        }
    }

    @Test func `opens, lets one probe through after the pause, and closes after its success`() async throws {
        let unavailable = PipelineError.originStatus(503)
        #expect(await failures(3) == [unavailable, unavailable, unavailable])
        #expect(await engine.failure(.local(origin, "/4")) == .circuitOpen(secondsLeft: 5))
        #expect(origin.requests == 3)
        let open = try #require(engine.openBreakers.first)
        #expect(open.source == "test" && open.origin == origin.url && open.state == .open && open.secondsLeft == 5)
        // A failed probe doubles the pause.
        time.advance(seconds: 5)
        #expect(states == [.halfOpen])
        #expect(await engine.failure(.local(origin, "/4")) == unavailable)
        #expect(await engine.failure(.local(origin, "/4")) == .circuitOpen(secondsLeft: 10))
        #expect(origin.requests == 4)
        time.advance(seconds: 10)
        status.text = "200 OK"
        #expect(await failures(3) == [nil, nil, nil])
        #expect(origin.requests == 7)
        #expect(states.isEmpty)
        #expect(engine.statistics.breakerOpenings == 1)
        #expect(engine.statistics.refusedByBreakers == 2)
    }

    @Test func `only the probe reaches the host while it is half-open`() async throws {
        let gate = try ScriptedGate()
        let status = status
        let origin = try ScriptedOrigin { request, connection in
            if request.number == 4 { gate.wait() }
            connection.respond(status.text, text: "x")
        }
        _ = await failures(3, of: origin)
        time.advance(seconds: 5)
        status.text = "200 OK"
        let probe = Outcome()
        _ = engine.load(.local(origin, "/probe"), completion: probe.set)
        await origin.arrival(of: 4)
        #expect(await engine.failure(.local(origin, "/5")) == .circuitOpen(secondsLeft: 1))
        gate.open()
        #expect(await probe.failure == nil)
        #expect(await engine.failure(.local(origin, "/5")) == nil)
    }

    @Test func `a cancelled probe lets the next request probe`() async throws {
        let gate = try ScriptedGate()
        let origin = try ScriptedOrigin { request, connection in
            if request.number == 4 { gate.wait() }
            connection.respond(request.number > 3 ? "200 OK" : "502 Bad Gateway", text: "x")
        }
        _ = await failures(3, of: origin)
        time.advance(seconds: 5)
        let probe = Outcome()
        let handle = engine.load(.local(origin, "/probe"), completion: probe.set)
        await origin.arrival(of: 4)
        handle.cancel()
        #expect(await probe.failure == .cancelled)
        #expect(await engine.failure(.local(origin, "/next")) == nil)
        gate.open()
    }

    @Test func `lost and refused connections open it too`() async throws {
        let origin = try ScriptedOrigin { _, connection in connection.close() }
        _ = await failures(3, of: origin)
        #expect(await engine.failure(.local(origin, "/4")) == .circuitOpen(secondsLeft: 5))
        let closed = try ScriptedOrigin { _, _ in }
        closed.stop()
        await closed.openConnections(fallTo: 0)
        _ = await failures(3, of: closed)
        #expect(await engine.failure(.local(closed, "/4")) == .circuitOpen(secondsLeft: 5))
    }

    @Test(arguments: ["404 Not Found", "429 Too Many Requests", "403 Forbidden", "500 Internal Server Error"])
    func `statuses that one URL can cause do not open it`(_ text: String) async throws {
        status.text = text
        _ = await failures(10)
        #expect(origin.requests == 10)
        #expect(states.isEmpty)
    }

    @Test func `bodies that are lost do not open it`() async throws {
        let origin = try ScriptedOrigin { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab")
            connection.close()
        }
        #expect(await failures(6, of: origin).allSatisfy { $0 != nil })
        #expect(origin.requests == 6)
        #expect(states.isEmpty)
    }

    @Test func `one URL that always fails does not open it, nor do failures with successes between`() async throws {
        for _ in 0..<6 { #expect(await engine.failure(.local(origin, "/same")) == .originStatus(503)) }
        let mixed = try ScriptedOrigin { request, connection in
            connection.respond(request.number % 3 == 0 ? "200 OK" : "503 Service Unavailable", text: "x")
        }
        #expect(await failures(9, of: mixed).count { $0 == .originStatus(503) } == 6)
        #expect(states.isEmpty)
    }

    @Test func `failures through fetch do not open a configured source's, nor those after a client's redirect`()
        async throws
    {
        var own = SourceRule(name: "own", location: .http(prefix: origin.url), allowPrivate: true)
        own.limits.retries = 0
        let remote = SourceRule.local(name: "fetch")
        _ = await failures(3, remote)
        #expect(await engine.failure(.local(origin, "/4", remote)) == .circuitOpen(secondsLeft: 5))
        #expect(await engine.failure(.local(origin, "/4", own)) == .originStatus(503))
        #expect(engine.openBreakers.map(\.source) == ["fetch"])
        let target = origin.url
        let leading = try ScriptedOrigin { request, connection in
            connection.respond(
                "302 Found",
                ["Location: \(target.replacing("127.0.0.1", with: "127.0.1"))\(request.target)"]
            )
        }
        _ = await failures(6, remote, of: leading)
        #expect(engine.openBreakers.count == 1)
    }

    @Test func `loads that wait for a host end when its breaker opens`() async throws {
        let gate = try ScriptedGate()
        let origin = try ScriptedOrigin { _, connection in
            gate.wait()
            connection.respond("503 Service Unavailable", text: "x")
        }
        let outcomes = (0..<8).map { number in
            let outcome = Outcome()
            _ = engine.load(.local(origin, "/\(number)", .local(connections: 1)), completion: outcome.set)
            return outcome
        }
        try await suspendWhile(engine.statistics.waiting < 7)
        gate.open()
        for outcome in outcomes[..<3] { #expect(try await outcome.result.get().status == 503) }
        for outcome in outcomes[3...] { #expect(await outcome.failure == .circuitOpen(secondsLeft: 5)) }
        #expect(origin.requests == 3)
    }

    @Test func `a request that retries failures probes the host before the pause ends`() async throws {
        _ = await failures(3)
        var fetch = OriginFetch.local(origin, "/4")
        #expect(await engine.failure(fetch) == .circuitOpen(secondsLeft: 5))
        fetch.retriesFailed = true
        #expect(await engine.failure(fetch) == .originStatus(503))
        #expect(origin.requests == 4)
        // Its failure prolongs the pause like that of any probe.
        #expect(await engine.failure(.local(origin, "/5")) == .circuitOpen(secondsLeft: 10))
    }

    @Test func `can be closed by hand, and disabled`() async throws {
        _ = await failures(3)
        engine.closeBreakers(of: "other")
        #expect(await engine.failure(.local(origin, "/4")) == .circuitOpen(secondsLeft: 5))
        engine.closeBreakers(of: "test")
        #expect(await engine.failure(.local(origin, "/4")) == .originStatus(503))
        engine.adjust(scheduling: TransferScheduling(), breaker: BreakerPolicy(failures: 0))
        #expect(await failures(6).allSatisfy { $0 == .originStatus(503) })
    }

    @Test func `a suspended source loads nothing, ends what waits and finishes what runs`() async throws {
        let gate = try ScriptedGate()
        let origin = try ScriptedOrigin { _, connection in
            gate.wait()
            connection.respond(text: "x")
        }
        let suspended = SuspendedSources()
        let loader = OriginLoader(LoaderRegistry([engine]), suspended: suspended)
        let source = SourceRule.local(connections: 1)
        let (running, waiting) = (Outcome(), Outcome())
        _ = loader.load(.local(origin, "/1", source), completion: running.set)
        await origin.arrival(of: 1)
        _ = loader.load(.local(origin, "/2", source), completion: waiting.set)
        try await suspendWhile(engine.statistics.waiting < 1)
        #expect(suspended.set("test", to: .suspended))
        engine.endWaiting(of: "test")
        #expect(await waiting.failure == .sourceSuspended)
        #expect(await loader.failure(.local(origin, "/3", source)) == .sourceSuspended)
        gate.open()
        #expect(await running.failure == nil)
        #expect(await loader.failure(.local(origin, "/4", .local(name: "other"))) == nil)
        #expect(suspended.set("test", to: nil))
        #expect(await loader.failure(.local(origin, "/5", source)) == nil)
        #expect(origin.requests == 3)
    }
}
