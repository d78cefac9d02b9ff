/// When the transfers' deadlines have to be looked at next.
///
/// Confined to the transfer thread.
///
/// It holds the earliest deadline that was ever asked for since the last look: one that moved on costs a look in vain, and
/// none needs an ordered queue.
final class DeadlineWatch {
    /// Nanoseconds between two looks at least, so that looks in vain stay cheap.
    private static let interval: Int64 = 5_000_000

    /// Monotonic nanoseconds; the greatest number when there is nothing to wait for.
    private(set) var due = Int64.max

    /// Wants a look not later than this.
    func need(by deadline: Int64) {
        due = min(due, deadline)
    }

    /// Notes a look.
    ///
    /// - Parameter next: the earliest deadline that was found.
    func looked(at now: Int64, next: Int64) {
        due = next == .max ? .max : max(next, now + Self.interval)
    }
}
