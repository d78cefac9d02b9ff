package import HTTPSemantics

/// The connection state of a request, valid during `RequestHandler.handle`.
///
/// Not sendable: copy what is needed later, and respond through a promise.
package struct RequestContext {
    /// The index of the loop, from 0, which can key per-loop state that needs no lock.
    package let loop: Int
    /// The decoded request content; empty if there is none.
    package let body: [UInt8]
    /// The sink that has taken the content, if the handler chose one.
    package let sink: (any RequestBodySink)?
    /// The monotonic clock at the start of this turn of the loop, in nanoseconds.
    package let monotonic: Int64
    /// The wall clock at the start of this turn of the loop, in seconds since 1970.
    package let wallSeconds: Int64
    /// The client's address, as reported by trusted proxies if there are any.
    package let peer: PeerAddress
    /// Whether the client is not known: the request came over a Unix socket or from a trusted proxy, without a valid
    /// `X-Forwarded-For`.
    package let isUnnamed: Bool
    /// The trace context of the request.
    package let trace: TraceContext
    /// Whether the connection comes from a trusted proxy (`TrustedProxies`).
    package var isFromTrustedProxy: Bool { connection.isTrusted }
    /// Whether the connection comes from a trusted proxy on this machine.
    package var isFromLocalProxy: Bool { connection.isTrusted && connection.peer.isLocal }
    let connection: Connection
    let mailbox: LoopMailbox

    /// Creates a promise of the response; call it at most once per request, and then return `Reply.later` from `handle`.
    ///
    /// - Parameter onCancel: called on the loop's thread if the client disconnects or the server stops before a response has
    ///   reached the loop; never afterwards.
    package func promise(onCancel: (@Sendable () -> Void)? = nil) -> ResponsePromise {
        connection.pending = PendingReply(onCancel: onCancel)
        return ResponsePromise(connection.id, connection.sequence, mailbox)
    }
}

/// The state of a connection whose handler has promised a response.
struct PendingReply {
    var onCancel: (@Sendable () -> Void)?
}

extension RequestContext {
    /// The account of all requests whose client is not known (`isUnnamed`).
    package static let sharedAccount = "shared"

    /// The account that the request's work is charged to: the client's, or the shared one if the client is not known.
    package var account: String { isUnnamed ? Self.sharedAccount : peer.account }
}
