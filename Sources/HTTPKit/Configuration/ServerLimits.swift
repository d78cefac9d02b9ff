/// Limits on what a client may send, in bytes unless noted otherwise.
package struct ServerLimits: Hashable, Sendable {
    /// The request line without CRLF; longer ones get 414.
    package var requestLine: Int
    /// The header section, from after the request line up to and including the empty line; longer ones get 431.
    package var headerBlock: Int
    /// The number of header fields; more get 431.
    package var fieldCount: Int
    /// The request content after decoding; more gets 413.
    package var body: Int
    /// The number of requests per connection, after which it is closed.
    package var requestsPerConnection: Int
    /// How much to read and discard after an error, so that the client can read the response before it sees a reset.
    package var lingeringDrain: Int

    /// Creates limits.
    package init(
        requestLine: Int = 8 * 1024,
        headerBlock: Int = 16 * 1024,
        fieldCount: Int = 100,
        body: Int = 64 * 1024,
        requestsPerConnection: Int = 1_000_000,
        lingeringDrain: Int = 256 * 1024
    ) {
        self.requestLine = requestLine
        self.headerBlock = headerBlock
        self.fieldCount = fieldCount
        self.body = body
        self.requestsPerConnection = requestsPerConnection
        self.lingeringDrain = lingeringDrain
    }
}

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
