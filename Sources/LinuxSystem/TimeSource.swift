import Glibc

/// The clocks of the daemon; tests substitute their own.
///
/// Monotonic time is for timeouts and durations, wall-clock time only for HTTP dates and data on disk.
package protocol TimeSource: Sendable {
    /// The monotonic clock, in nanoseconds from an arbitrary start.
    var monotonic: Int64 { get }
    /// The wall clock, in seconds since 1970-01-01T00:00:00Z.
    var wallSeconds: Int64 { get }
}

/// The system clocks.
package struct SystemTime: TimeSource {
    /// Creates the system clocks.
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
