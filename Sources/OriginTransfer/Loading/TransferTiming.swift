/// The durations of one request, in microseconds, as libcurl measures them; 0 for a phase that did not take place.
package struct TransferTiming: Hashable, Sendable {
    /// Resolving the host's name; 0 for a kept connection.
    package var resolve: UInt32 = 0
    /// Connecting, after the name was resolved; 0 for a kept connection.
    package var connect: UInt32 = 0
    /// The TLS handshake.
    package var secure: UInt32 = 0
    /// From the start of the request to the first byte of its response.
    package var firstByte: UInt32 = 0
    /// From the start of the request to the last byte of its response.
    package var total: UInt32 = 0

    /// Creates timing of nothing.
    package init() {}
}
