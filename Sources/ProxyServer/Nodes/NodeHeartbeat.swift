import HTTPKit
import LinuxSystem

/// Tells nodes again and again that this one is at work on their queries (102, RFC 2518 §10.1); any thread.
///
/// Nothing else shows that a process has stopped: its connections stay open, and its kernel acknowledges what arrives.
final class NodeHeartbeat: Sendable {
    /// The maximum number of interim responses to a query: with the answer's head, they have to fit into 64 KiB.
    static let limit = 500

    /// The shortest interval in milliseconds.
    private let shortest: Int
    private let delays = DelayLine()

    /// - Parameter askTimeout: `cluster.ask-timeout` in milliseconds.
    init(askTimeout: Int) { shortest = max(100, askTimeout / 2) }

    /// Returns the milliseconds after which a node with an interval in milliseconds, but without a sign of life, is given up.
    static func patience(_ interval: Int) -> Int { 4 * interval }

    /// Sends an interim response at once, and others until the promise is completed or released.
    ///
    /// - Parameter milliseconds: the time that the query has; `nil` for no limit.
    func begin(_ promise: ResponsePromise, within milliseconds: Int?) {
        let interval = max(shortest, min(milliseconds ?? 3_600_000, 3_600_000) / (Self.limit * 4 / 5))
        var block = FieldBlock()
        block.append(NodeFields.interval, "\(interval)")
        beat(promise, Int64(interval) * 1_000_000, block.bytes)
    }

    private func beat(_ promise: ResponsePromise, _ interval: Int64, _ fields: [UInt8]) {
        promise.interim(status: 102, fields: fields, limit: Self.limit)
        // Without a thread for it, the other node gives this one up.
        _ = delays.run(after: interval) { [weak self, weak promise] in
            guard let self, let promise, !promise.isCompleted else { return }
            beat(promise, interval, fields)
        }
    }
}
