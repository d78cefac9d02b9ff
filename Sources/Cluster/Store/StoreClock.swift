import LinuxSystem
import OriginTransfer

/// The store's clock, as its responses tell it; any thread.
///
/// Ages of shared originals are differences of its readings: the clocks of nodes may differ.
final class StoreClock: Sendable {
    private struct Reading: Sendable {
        var date: Int64
        /// The monotonic time of its receipt.
        var received: Int64
    }

    private let time: any TimeSource
    private let reading = Lock<Reading?>(nil)

    init(time: any TimeSource) { self.time = time }

    /// Takes the time from a response.
    func note(_ response: ObjectResponse) {
        guard let date = response.date else { return }
        let received = time.monotonic
        reading.withLock { $0 = Reading(date: date, received: received) }
    }

    /// The present second, never later than the store's; that of this node if the store has not told it.
    var seconds: Int64 {
        let now = time.monotonic
        return reading.withLock { $0 }.map { $0.date + (now - $0.received) / 1_000_000_000 } ?? time.wallSeconds
    }
}
