import HTTPSemantics
import LinuxSystem
import OriginTransfer
import TestSupport
import Testing

/// Interim responses to transfers that wait longer after one.
@Suite(.timeLimit(.minutes(1)))
struct TransferEngineInterimTests {
    private let time = ManualTime()

    /// A request whose first byte may take five seconds.
    private func request(to origin: ScriptedOrigin, afterInterim: Int) throws -> TransferRequest {
        var options = TransferOptions(source: "test")
        options.allowPrivate = true
        options.limits.retries = 0
        options.timeouts = TransferTimeouts(connect: 60_000, firstByte: 5_000, total: 600_000)
        options.timeouts.afterInterim = afterInterim
        return TransferRequest(.url(try OriginURL(origin.url + "/")), options: options)
    }

    @Test func `after an interim response another time limit applies`() async throws {
        let gate = try ScriptedGate()
        let origin = try ScriptedOrigin { _, connection in
            connection.send("HTTP/1.1 102 Processing\r\n\r\n")
            gate.wait()
            connection.respond("200 OK", [], text: "late")
        }
        let engine = try TransferEngine(time: time)
        defer { engine.stop() }
        var request = try request(to: origin, afterInterim: 300_000)
        let time = time
        request.interim = { _ in
            // The deadline of the first byte, and many times that.
            time.advance(seconds: 100)
            gate.open()
        }
        let result = await withCheckedContinuation { continuation in
            _ = engine.load(request) { continuation.resume(returning: $0) }
        }
        #expect(try result.get().head.status == 200)
    }

    /// Responds with three interim responses at once, 100 s apart by the engine's clock, and then with 200 if that has been waited for.
    ///
    /// - Parameter patience: milliseconds to wait after each.
    private func result(patience: Int) async throws -> Result<TransferResponse, TransferError> {
        let gate = try ScriptedGate()
        let origin = try ScriptedOrigin { _, connection in
            connection.send(String(repeating: "HTTP/1.1 102 Processing\r\nWait: \(patience)\r\n\r\n", count: 3))
            gate.wait()
            connection.respond("200 OK", [], text: "late")
        }
        let engine = try TransferEngine(time: time)
        defer { engine.stop() }
        var request = try request(to: origin, afterInterim: 1_000)
        request.patience = { $0.fields["wait"].flatMap { Int($0) } }
        let (time, received) = (time, Signal(0))
        request.interim = { _ in
            time.advance(seconds: 100)
            received.update { $0 += 1 }
            if patience > 100_000, received.value == 3 { gate.open() }
        }
        let result = await withCheckedContinuation { continuation in
            _ = engine.load(request) { continuation.resume(returning: $0) }
        }
        gate.open()
        return result
    }

    @Test func `each interim response says how long to wait for the next one`() async throws {
        #expect(try await result(patience: 150_000).get().head.status == 200)
    }

    @Test func `a transfer ends when what an interim response has promised does not come`() async throws {
        guard case .failure(.timeout("response after an interim one")) = try await result(patience: 90_000) else {
            Issue.record("waited longer")
            return
        }
    }
}
