import Glibc

/// The clocks that the daemon reads, as a seam: tests give their own.
///
/// Monotonic time serves timeouts and durations, wall-clock time only HTTP dates and what is written to disk.
package protocol TimeSource: Sendable {
    /// Nanoseconds of the monotonic clock, from an arbitrary start.
    var monotonic: Int64 { get }
    /// Seconds since 1970-01-01T00:00:00Z of the wall clock.
    var wallSeconds: Int64 { get }
}

/// The machine's own clocks.
package struct SystemTime: TimeSource {
    /// Creates the machine's clock.
    package init() {}

    package var monotonic: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    package var wallSeconds: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec)
    }
}
