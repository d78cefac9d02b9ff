import HTTPSemantics

/// The parts of a request that are needed when its response is written.
struct ExchangeFacts {
    var method: HTTPMethod = .other(0..<0)
    var minorVersion: UInt8 = 1
    var keepsAlive = false
    /// The time at which the request was complete, in monotonic nanoseconds.
    var start: Int64 = 0
    /// The client, if a trusted proxy has named one other than the peer.
    var client: PeerAddress?
    /// The trace context of the request; `nil` until one is assigned.
    var trace: TraceContext?
    /// The request target as a range of the loop's read buffer.
    var target: Range<Int> = 0..<0
    /// A copy of the request target, made before the read buffer is reused.
    var savedTarget: [UInt8]?
}

/// An exchange whose response is in an output batch.
struct ExchangeRecord {
    var facts: ExchangeFacts
    var status: UInt16
    var tag: UInt64
    var amount: Int64
    var note: (any ExchangeNote)?
    /// The range of the response in the batch's byte stream.
    var begin: Int64
    var end: Int64
}
