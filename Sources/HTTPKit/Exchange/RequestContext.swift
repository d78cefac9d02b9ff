package import HTTPSemantics

/// The connection's side of a request, valid for the duration of `RequestHandler.handle`.
///
/// Not sendable: what is needed later is copied out of it, and the answer goes through a promise.
package struct RequestContext {
    /// The index of the loop, from 0: a key for state per loop that needs no lock.
    package let loop: Int
    /// The request's content, decoded; empty where there is none.
    package let body: [UInt8]
    /// The monotonic clock at the begin of this turn of the loop, in nanoseconds.
    package let monotonic: Int64
    /// The wall clock at the begin of this turn of the loop, in seconds since 1970.
    package let wallSeconds: Int64
    /// Who asks, by the word of trusted proxies where there are such in between.
    package let peer: PeerAddress
    /// The trace that the request belongs to: its id.
    package let trace: TraceContext
    /// Whether the connection is a trusted proxy's (`TrustedProxies`).
    package var isFromTrustedProxy: Bool { connection.isTrusted }
    let connection: Connection
    let mailbox: LoopMailbox

    /// Takes a promise for the answer; once per request, and `handle` then returns `Reply.later`.
    ///
    /// - Parameter onCancel: called on the loop's thread if the client is gone before the promise is completed, or the
    ///   server stops; not called after `complete`d answers have reached the loop.
    package func promise(onCancel: (@Sendable () -> Void)? = nil) -> ResponsePromise {
        connection.pending = PendingReply(onCancel: onCancel)
        return ResponsePromise(connection.id, connection.sequence, mailbox)
    }
}

/// What a connection keeps while a handler owes it an answer.
struct PendingReply {
    var onCancel: (@Sendable () -> Void)?
}
