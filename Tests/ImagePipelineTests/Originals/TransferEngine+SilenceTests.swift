import HTTPSemantics
import LinuxSystem
import OriginTransfer
import TestSupport
import Testing

/// A connection whose other side vanishes without a word, as a machine without power does.
@Suite(.timeLimit(.minutes(1)))
struct TransferEngineSilenceTests {
    @Test(.enabled(if: PrivateNetwork.isPossible, "needs a network namespace"))
    func `a machine that vanishes after an interim response ends the transfer within the time of silence`() throws {
        let outcome = Signal<Result<TransferError?, any Error>?>(nil)
        try SystemThread.start(name: "network") {
            let result = Result { try Self.failure() }
            outcome.update { $0 = result }
        }
        try outcome.wait { $0 != nil }
        let failure = try #require(outcome.value).get()
        // Not a deadline of the engine: its clock stands still.
        let isUnreachable = if case .unreachable? = failure { true } else { false }
        #expect(isUnreachable, "\(String(describing: failure))")
    }

    /// The failure of a transfer whose origin vanishes; on a thread that becomes part of another network.
    private static func failure() throws -> TransferError? {
        let network = try PrivateNetwork()
        let gate = try ScriptedGate()
        defer { gate.open() }
        let origin = try ScriptedOrigin { _, connection in
            connection.send("HTTP/1.1 102 Processing\r\n\r\n")
            gate.wait()
        }
        let engine = try TransferEngine(time: ManualTime())
        defer { engine.stop() }
        var options = TransferOptions(source: "test")
        options.allowPrivate = true
        options.limits.retries = 0
        options.timeouts = TransferTimeouts(connect: 60_000, firstByte: 60_000, total: 600_000)
        options.timeouts.silence = 2_000
        var request = TransferRequest(.url(try OriginURL(origin.url + "/")), options: options)
        request.interim = { _ in try? network.setLoopback(isUp: false) }
        let ended = Signal<Result<TransferResponse, TransferError>?>(nil)
        _ = engine.load(request) { result in ended.update { $0 = result } }
        try ended.wait { $0 != nil }
        if case .failure(let error) = ended.value { return error }
        return nil
    }
}
