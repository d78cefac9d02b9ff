import CCurl
import LinuxSystem

/// Repeats failed requests, at the same origin or at a mirror.
extension TransferLoop {
    /// Repeats a failed request if that may help, or returns false.
    ///
    /// - Parameter isProbe: whether the request probed a host, which is then not asked again.
    func isRepeated(
        _ transfer: Transfer,
        _ result: Result<TransferResponse, TransferError>,
        _ code: CURLcode,
        isProbe: Bool
    ) -> Bool {
        let lane = transfer.lane
        guard let fault = transfer.fault(result, code), !configuration.isSuspended(lane.source) else { return false }
        let mayRepeat = !isProbe && breakers.verdict(lane.source, lane.origin, at: time.monotonic) == .pass
        guard let repetition = transfer.repetition(after: fault, result, mayRepeat: mayRepeat) else { return false }
        leaveWire(transfer)
        switch repetition {
        case .mirror:
            transfer.restart(at: transfer.attempts.index + 1)
            enqueue(transfer)
        case .round(let pause):
            transfer.restartRound()
            wait(transfer, pause)
        case .rest(let pause):
            transfer.prepareRest()
            wait(transfer, pause)
        }
        return true
    }

    /// Ends a load whose next request must not be sent, or passes it to the next mirror.
    func refuse(_ transfer: Transfer, _ error: TransferError) {
        let failure = Result<TransferResponse, TransferError>.failure(error)
        var isOpen = false
        if case .circuitOpen = error { isOpen = true }
        guard isOpen || transfer.isMirror else { return end(transfer, failure) }
        guard transfer.isRepeatable, transfer.growing == nil, transfer.resumption == nil, transfer.hasMirror else {
            return end(transfer, transfer.attempts.own ?? failure)
        }
        lanes.remove(transfer, transfer.lane)
        transfer.record(failure)
        transfer.restart(at: transfer.attempts.index + 1)
        enqueue(transfer)
    }

    /// Sends the request again after a pause in nanoseconds.
    private func wait(_ transfer: Transfer, _ pause: Int64) {
        counters.update { $0.retries += 1 }
        transfer.repeatDue = time.monotonic + pause
        watch.need(by: transfer.repeatDue)
    }
}
