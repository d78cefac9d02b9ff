package import HTTPSemantics

/// The outcome of an exchange, for the access log and the metrics.
package struct ExchangeSummary: Sendable {
    /// The method of the request; `other` with an empty range if there was none.
    package var method: HTTPMethod
    /// The status of the response.
    package var status: UInt16
    /// The minor version of the request.
    package var minorVersion: UInt8
    /// The bytes of head and content handed to the kernel.
    package var bytesSent: Int64
    /// The time from the end of the request to the last byte of the response in the kernel, in nanoseconds.
    package var duration: Int64
    /// Whether the whole response was written; false if the client or a timeout ended it early.
    package var isComplete: Bool
    /// `Response.tag`.
    package var tag: UInt64
    /// `Response.amount`.
    package var amount: Int64
    /// `Response.note`.
    package var note: (any ExchangeNote)?
    /// The client's address, as reported by trusted proxies if there are any.
    package var peer: PeerAddress
    /// The trace context of the request; a new one if the request could not be parsed.
    package var trace: TraceContext
    /// The index of the loop.
    package var loop: Int
}
