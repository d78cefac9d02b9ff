import HTTPSemantics
import LinuxSystem
import OriginTransfer
import TestSupport
import Testing

/// That a long body leaves the transfer thread to other work.
@Suite(.timeLimit(.minutes(1)))
struct TransferEngineTurnTests {
    private static let body = (0..<600_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    private let engine: TransferEngine
    private let origin: ScriptedOrigin
    /// Opens when the origin has written a whole body.
    private let sent: ScriptedGate

    init() throws {
        let sent = try ScriptedGate()
        self.sent = sent
        engine = try TransferEngine()
        origin = try ScriptedOrigin { _, connection in
            connection.respond(body: Self.body)
            sent.open()
        }
    }

    /// Loads the body, and calls a closure on the transfer thread when some of it is received, and the rest has arrived.
    private func load(_ act: @escaping @Sendable (any LoadHandle) -> Void) async throws
        -> Result<TransferResponse, TransferError>
    {
        var options = TransferOptions(source: "test")
        options.allowPrivate = true
        var request = TransferRequest(.url(try OriginURL(origin.url + "/")), options: options)
        let (sent, started) = (sent, try ScriptedGate())
        let handle = Lock<(any LoadHandle)?>(nil)
        request.inspection = .init(first: 1) { _, _ in
            started.wait()
            sent.wait()
            if let handle = handle.withLock({ $0 }) { act(handle) }
            return .accepted
        }
        return await withCheckedContinuation { continuation in
            let load = engine.load(request, arrival: nil) { continuation.resume(returning: $0) }
            handle.withLock { $0 = load }
            started.open()
        }
    }

    @Test func `a load that is cancelled does not receive what has arrived`() async throws {
        let result = try await load { $0.cancel() }
        guard case .failure(.cancelled) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(engine.statistics.bytes < 200_000)
    }

    @Test func `a body that gives way is received completely`() async throws {
        let engine = engine
        let response = try await load { _ in engine.endWaiting(of: "none") }.get()
        guard case .file(let body) = response.body else {
            Issue.record("\(response)")
            return
        }
        #expect(body.file.read(count: body.length) == Self.body)
        #expect(engine.statistics.bytes == Self.body.count)
    }
}
