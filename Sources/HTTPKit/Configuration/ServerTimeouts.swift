/// Time limits for clients, in milliseconds of the monotonic clock.
package struct ServerTimeouts: Hashable, Sendable {
    /// From the first byte of a request, or the start of the connection, to the end of its head.
    package var header: Int
    /// From the end of the head of a request to the end of its body.
    package var body: Int
    /// Between a response and the first byte of the next request.
    package var idle: Int
    /// Without progress in writing a response.
    package var write: Int
    /// After an error, for the client to read the response and close.
    package var linger: Int
    /// The interval between checks of deadlines: the longest delay of a timeout.
    package var resolution: Int

    /// Creates timeouts.
    package init(
        header: Int = 10_000,
        body: Int = 10_000,
        idle: Int = 60_000,
        write: Int = 30_000,
        linger: Int = 2_000,
        resolution: Int = 250
    ) {
        self.header = header
        self.body = body
        self.idle = idle
        self.write = write
        self.linger = linger
        self.resolution = resolution
    }

    /// Converts milliseconds to nanoseconds, clamped to between 0 and some thirty years so that sums with a clock never overflow.
    static func nanoseconds(_ milliseconds: Int) -> Int64 {
        Int64(min(max(0, milliseconds), 1 << 40)) * 1_000_000
    }
}
