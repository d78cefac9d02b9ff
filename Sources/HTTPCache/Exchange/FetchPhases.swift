/// The phases of a request to an origin, in microseconds; 0 for one that did not take place.
package struct FetchPhases: Hashable, Sendable {
    /// Resolving the host's name.
    package var resolve: UInt32 = 0
    /// Connecting, after the name was resolved.
    package var connect: UInt32 = 0
    /// The TLS handshake.
    package var secure: UInt32 = 0
    /// From the start of the request to the first byte of the response.
    package var firstByte: UInt32 = 0
    /// The number of the mirror that has responded, from 1; 0 for the source's own origin.
    package var mirror = 0

    /// Creates phases of nothing.
    package init() {}
}
