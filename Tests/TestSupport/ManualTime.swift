import LinuxSystem

/// Clocks that only tests advance.
package final class ManualTime: TimeSource {
    private let now: Lock<(monotonic: Int64, wall: Int64)>

    /// Creates clocks with given readings: nanoseconds of the monotonic clock, seconds of the wall clock.
    package init(monotonic: Int64 = 1_000_000_000, wallSeconds: Int64 = 1_700_000_000) {
        now = Lock((monotonic, wallSeconds))
    }

    package var monotonic: Int64 { now.withLock { $0.monotonic } }
    package var wallSeconds: Int64 { now.withLock { $0.wall } }

    /// Advances both clocks.
    package func advance(seconds: Int64) {
        now.withLock { now in
            now.monotonic += seconds * 1_000_000_000
            now.wall += seconds
        }
    }

    /// Sets only the wall clock, as an administrator might.
    package func set(wallSeconds: Int64) {
        now.withLock { $0.wall = wallSeconds }
    }
}
