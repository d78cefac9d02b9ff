import HTTPSemantics

/// What of a request is still needed when its answer is written.
struct ExchangeFacts {
    var method: HTTPMethod = .other(0..<0)
    var minorVersion: UInt8 = 1
    var keepsAlive = false
    /// Monotonic nanoseconds at which the request was complete.
    var start: Int64 = 0
    /// Who asked, where a trusted proxy has named somebody else than the connection's peer.
    var client: PeerAddress?
    /// The request's trace; `nil` before one was made.
    var trace: TraceContext?
    /// The request target, by place in the loop's read buffer.
    var target: Range<Int> = 0..<0
    /// The request target, copied, once the read buffer no longer holds it.
    var savedTarget: [UInt8]?
}

/// An exchange whose answer lies in an output batch.
struct ExchangeRecord {
    var facts: ExchangeFacts
    var status: UInt16
    var tag: UInt64
    /// Where in the batch's stream of bytes the answer begins and ends.
    var begin: Int64
    var end: Int64
}
