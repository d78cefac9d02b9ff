import LinuxSystem

/// The state of one client connection.
///
/// Confined to its loop's thread. An idle connection owns no buffer: reads go to the loop's buffer, and only the rest of an
/// incomplete request is kept here.
final class Connection {
    enum Phase {
        /// Waiting for requests, or for the socket to accept output.
        case reading
        /// Waiting for the handler's response; nothing is read meanwhile.
        case answering
        /// The last response is written and the sending side closed; further input is discarded.
        case lingering
        case closed
    }

    enum Timer {
        case none, fresh, head, body, idle, write, linger
    }

    let descriptor: CInt
    let id: ConnectionID
    /// The client's address: the socket's peer, or the one from a PROXY protocol header.
    var peer: PeerAddress
    /// Whether the peer is trusted to report client addresses in `X-Forwarded-For`.
    var isTrusted: Bool
    /// The account that the connection is counted for; `nil` for those of trusted proxies and over Unix sockets.
    var account: String?
    /// Whether a PROXY protocol header is still due.
    var awaitsProxyHeader: Bool
    var phase = Phase.reading
    var timer = Timer.none
    /// The time at which `timer` fires, in monotonic nanoseconds.
    var deadline = Int64.max

    /// Whether a read may return data: set by events, cleared by a short read (edge-triggered epoll).
    var mayRead = false
    /// Whether the peer has sent FIN; reads continue until they return 0.
    var isHalfClosed = false
    /// Whether a read has returned 0.
    var isInputEnded = false
    /// Whether to close once the output is written; no more requests are read.
    var closesAfterOutput = false
    /// Whether there may be unread input: a plain close would reset the connection and could lose the response.
    var lingers = false
    /// Whether `input` may contain complete requests not yet parsed.
    var hasUnparsedInput = false
    /// Whether the connection is in the loop's `scheduled` list.
    var isScheduled = false

    /// Input received but not consumed.
    var input: [UInt8] = []
    var progress = ParseProgress()
    /// A request whose head is complete and whose body is not.
    var partial: PartialRequest?
    /// Output the socket has not accepted yet.
    var output: OutputBatch?
    var pending: PendingReply?
    /// The request that `pending` answers.
    var waiting = ExchangeFacts()
    /// The number of the current request; responses to earlier ones are dropped.
    var sequence: UInt32 = 0
    var served = 0
    var drained = 0

    init(descriptor: CInt, id: ConnectionID, peer: PeerAddress, proxies: TrustedProxies) {
        isTrusted = proxies.trusts(peer)
        awaitsProxyHeader = isTrusted && proxies.usesProxyProtocol
        self.descriptor = descriptor
        self.id = id
        self.peer = peer
    }

    /// Whether the peer is a trusted proxy or a Unix socket, so that requests of many clients may come.
    var carriesManyClients: Bool { isTrusted || peer.family == .unix }

    /// Stops the timer; the next one begins anew, also if it is of the same kind.
    @inline(__always)
    func stopTimer() {
        timer = .none
        deadline = .max
    }

    /// Whether the next request may be parsed.
    @inline(__always)
    var takesRequests: Bool { phase == .reading && output == nil && !closesAfterOutput }
}

/// A request whose body is arriving.
final class PartialRequest {
    /// The bytes of the head, which is parsed again when the body is complete.
    let head: [UInt8]
    var decoder: BodyDecoder

    init(head: [UInt8], decoder: BodyDecoder) {
        self.head = head
        self.decoder = decoder
    }
}
