import Logging
import Synchronization

/// Warns that requests arrive whose clients are not known, so that all of them share one account.
///
/// Logged for the first of these requests, and then at most once an hour. Any thread.
final class UnnamedClientNotice: Sendable {
    private static let interval: Int64 = 3_600_000_000_000

    private let logger: Logger
    /// Monotonic nanoseconds before which nothing is logged.
    private let due = Atomic<Int64>(.min)

    init(logger: Logger) { self.logger = logger }

    /// Logs the warning if it is due.
    func tell(now: Int64) {
        let due = due.load(ordering: .relaxed)
        guard now >= due,
            self.due.compareExchange(expected: due, desired: now + Self.interval, ordering: .relaxed).exchanged
        else { return }
        logger.warning(
            "requests do not name their clients, which therefore share one account: one client can delay all others",
            metadata: [
                "reason": "they come over a Unix socket or from a trusted proxy, without X-Forwarded-For",
                "remedy": "let the proxy set X-Forwarded-For, and list it in proxies.trust (unix for a socket)",
            ]
        )
    }
}
