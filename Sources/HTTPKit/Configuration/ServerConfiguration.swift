package import LinuxSystem

/// What a server needs to know before it starts.
package struct ServerConfiguration: Sendable {
    /// Where to listen; all addresses serve the same handler.
    package var addresses: [ListenAddress]
    /// The number of event loops, each a thread, at least one; one per core is right.
    package var loops: Int
    /// Bounds on what one client may send.
    package var limits: ServerLimits
    /// How long the server waits for a client.
    package var timeouts: ServerTimeouts
    /// How many connections may be open over all loops; one more is told 503 and closed.
    package var maximumConnections: Int
    /// The queue of connections that the kernel has accepted and the server has not.
    package var backlog: CInt
    /// Whether another process may listen on the same TCP port at the same time (an overlapping restart).
    ///
    /// Loops share the port among themselves in any case.
    package var sharesPort: Bool
    /// Who may connect to Unix sockets that the server opens.
    package var socketMode: SocketMode
    /// What a client that has shut down its sending side, and waits for its answer, gets.
    package var halfClose: HalfClosePolicy
    /// Whose word about a client's address counts.
    package var proxies: TrustedProxies
    /// Random numbers: one a loop, for the ids of its requests.
    package var randomness: @Sendable () -> UInt64
    /// The clocks for timeouts and for `Date`.
    package var time: any TimeSource

    /// What to think of a client that has sent its FIN while its answer is still in the making.
    ///
    /// On TCP, `shutdown(SHUT_WR)` and `close()` look alike until something is written.
    package enum HalfClosePolicy: Sendable {
        /// It still wants its answer (RFC 9112 §9.6); a reset says that it does not.
        case answered
        /// It is gone, as most reverse proxies assume: the reply is cancelled.
        case gone
    }

    /// Who may connect to a Unix socket, as far as its folder lets them reach it.
    package enum SocketMode: Sendable {
        /// The server's user, its group, and root: 0660.
        case ownerAndGroup
        /// Every local user: 0666.
        case everybody
    }

    /// Creates a configuration; the defaults are the contract's.
    package init(
        addresses: [ListenAddress],
        loops: Int = 1,
        limits: ServerLimits = ServerLimits(),
        timeouts: ServerTimeouts = ServerTimeouts(),
        maximumConnections: Int = 10_000,
        backlog: CInt = 1024,
        sharesPort: Bool = false,
        socketMode: SocketMode = .everybody,
        halfClose: HalfClosePolicy = .answered,
        proxies: TrustedProxies = .none,
        randomness: @escaping @Sendable () -> UInt64 = { .random(in: .min ... .max) },
        time: any TimeSource = SystemTime()
    ) {
        self.addresses = addresses
        self.loops = loops
        self.limits = limits
        self.timeouts = timeouts
        self.maximumConnections = maximumConnections
        self.backlog = backlog
        self.sharesPort = sharesPort
        self.socketMode = socketMode
        self.halfClose = halfClose
        self.proxies = proxies
        self.randomness = randomness
        self.time = time
    }
}
