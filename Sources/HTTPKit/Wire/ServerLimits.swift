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
