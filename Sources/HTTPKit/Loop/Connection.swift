import LinuxSystem

/// One client's connection: what its loop remembers between two events.
///
/// Confined to the loop's thread. An idle one owns no buffer: bytes are read into the loop's, and only what is left of
/// an incomplete request is kept here.
final class Connection {
    enum Phase {
        /// Waits for requests, or for the socket to take the answers to them.
        case reading
        /// The handler owes an answer; nothing is read until it is there.
        case answering
        /// The last answer is written, our side is shut down; what the client still sends is thrown away.
        case lingering
        case closed
    }

    enum Timer {
        case none, fresh, head, body, idle, write, linger
    }

    let descriptor: CInt
    let id: ConnectionID
    /// The client: who has connected, or whom a PROXY protocol header has named.
    var peer: PeerAddress
    /// Whether what the peer says of a client in `X-Forwarded-For` counts.
    var isTrusted: Bool
    /// Whether a PROXY protocol header has still to come.
    var awaitsProxyHeader: Bool
    var phase = Phase.reading
    var timer = Timer.none
    /// When `timer` fires, in monotonic nanoseconds.
    var deadline = Int64.max

    /// Whether a read may bring something: set by events, cleared by a short read (edge-triggered epoll).
    var mayRead = false
    /// The peer's FIN has been announced: reads go on until they return 0.
    var isHalfClosed = false
    /// A read has returned 0.
    var isInputEnded = false
    /// Nothing more is read as requests; closed when the output is written.
    var closesAfterOutput = false
    /// Unread input is certain or likely: a plain close would reset, and the client might lose the answer.
    var lingers = false
    /// `input` may hold whole requests that have not been looked at.
    var hasUnparsedInput = false
    /// The loop has it on its list of connections to go on with.
    var isScheduled = false

    /// Received and not consumed.
    var input: [UInt8] = []
    var progress = ParseProgress()
    /// A request whose head is complete and whose body is not.
    var partial: PartialRequest?
    /// What the socket has not taken yet.
    var output: OutputBatch?
    var pending: PendingReply?
    /// What is known of the request that `pending` answers.
    var waiting = ExchangeFacts()
    /// Counts requests, so that an answer to an earlier one is recognised and dropped.
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

    /// Whether the loop may look for the next request.
    @inline(__always)
    var takesRequests: Bool { phase == .reading && output == nil && !closesAfterOutput }
}

/// A request whose body is arriving.
final class PartialRequest {
    /// The head's bytes; parsed again when the body is complete.
    let head: [UInt8]
    var decoder: BodyDecoder

    init(head: [UInt8], decoder: BodyDecoder) {
        self.head = head
        self.decoder = decoder
    }
}
