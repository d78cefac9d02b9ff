/// Bounds on what one client may send, in bytes unless said otherwise.
package struct ServerLimits: Hashable, Sendable {
    /// The request line without its CRLF; a longer one is answered 414.
    package var requestLine: Int
    /// The header section, from after the request line to and with its empty line; a longer one is answered 431.
    package var headerBlock: Int
    /// The number of header fields; more are answered 431.
    package var fieldCount: Int
    /// The request's content after decoding; more is answered 413.
    package var body: Int
    /// The number of requests on one connection, after which it is closed.
    package var requestsPerConnection: Int
    /// What is read and thrown away after a refusal, so that the client reads the answer before it meets a reset.
    package var lingeringDrain: Int

    /// Creates limits; the defaults are the contract's.
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

/// How long the server waits for a client, in milliseconds of the monotonic clock.
package struct ServerTimeouts: Hashable, Sendable {
    /// From a request's first byte (or the connection's begin) to the end of its head.
    package var header: Int
    /// From the end of a request's head to the end of its body.
    package var body: Int
    /// Between an answer and the next request's first byte.
    package var idle: Int
    /// Without any progress of an answer that is being written.
    package var write: Int
    /// After a refusal, for the client to read the answer and close.
    package var linger: Int
    /// How often deadlines are looked at: a timeout fires at most this much late.
    package var resolution: Int

    /// Creates timeouts; the defaults are the contract's.
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

    /// Milliseconds as nanoseconds, within 0 and some thirty years, so that sums with a clock never overflow.
    static func nanoseconds(_ milliseconds: Int) -> Int64 {
        Int64(min(max(0, milliseconds), 1 << 40)) * 1_000_000
    }
}
