/// The time after which the result of shared work is useless to all who wait for it; any thread.
///
/// Waiters join and leave while the work is queued, so the time is computed when it is needed.
package struct SharedDeadline: Sendable {
    private let latest: @Sendable () -> Int64?

    /// Never.
    package static let none = SharedDeadline(nil)

    /// Creates a fixed deadline in monotonic nanoseconds; `nil` for none.
    package init(_ nanoseconds: Int64?) { latest = { nanoseconds } }

    /// Creates the latest of several deadlines, which is none if one of them is, or if there are none.
    ///
    /// - Parameter deadlines: returns those that count at present.
    package init(latestOf deadlines: @escaping @Sendable () -> [SharedDeadline]) {
        latest = {
            var latest: Int64?
            for deadline in deadlines() {
                guard let next = deadline.nanoseconds else { return nil }
                latest = max(latest ?? next, next)
            }
            return latest
        }
    }

    /// The deadline at present in monotonic nanoseconds; `nil` for none.
    package var nanoseconds: Int64? { latest() }

    /// Whether the deadline has passed.
    package func isPast(at now: Int64) -> Bool { nanoseconds.map { $0 <= now } ?? false }
}
