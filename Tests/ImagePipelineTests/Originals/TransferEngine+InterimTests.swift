import HTTPSemantics
import LinuxSystem
import OriginTransfer
import TestSupport
import Testing

/// Interim responses to transfers that wait longer after one.
@Suite(.timeLimit(.minutes(1)))
struct TransferEngineInterimTests {
    private let time = ManualTime()

    @Test func `after an interim response another time limit applies`() async throws {
        let gate = try ScriptedGate()
        let origin = try ScriptedOrigin { _, connection in
            connection.send("HTTP/1.1 102 Processing\r\n\r\n")
            gate.wait()
            connection.respond("200 OK", [], text: "late")
        }
        let engine = try TransferEngine(time: time)
        defer { engine.stop() }
        var options = TransferOptions(source: "test")
        options.allowPrivate = true
        options.limits.retries = 0
        options.timeouts = TransferTimeouts(connect: 60_000, firstByte: 5_000, total: 600_000)
        options.timeouts.afterInterim = 300_000
        var request = TransferRequest(.url(try OriginURL(origin.url + "/")), options: options)
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
}
