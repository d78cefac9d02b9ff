import LinuxSystem

/// The engine's statistics as they grow: written by the transfer thread, read by any.
final class TransferCounters: Sendable {
    private let state = Lock(TransferStatistics())

    var snapshot: TransferStatistics { state.withLock { $0 } }

    func update(_ body: (inout TransferStatistics) -> Void) {
        state.withLock { body(&$0) }
    }
}
