package import HTTPSemantics

/// What became of one exchange, for the access log and the metrics.
package struct ExchangeSummary: Sendable {
    /// The request's method; `other` with an empty range when none was recognised.
    package var method: HTTPMethod
    /// The answer's status.
    package var status: UInt16
    /// The minor version of the request.
    package var minorVersion: UInt8
    /// Head and content bytes handed to the kernel.
    package var bytesSent: Int64
    /// From the end of the request's head and body to the answer's last byte in the kernel, in nanoseconds.
    package var duration: Int64
    /// Whether the whole answer was written; false when the client or a timeout ended it before.
    package var isComplete: Bool
    /// `Response.tag`.
    package var tag: UInt64
    /// Who asked, by the word of trusted proxies where there are such in between.
    package var peer: PeerAddress
    /// The trace that the request belongs to; of one that could not be read, made for it.
    package var trace: TraceContext
    /// The index of the loop.
    package var loop: Int
}
