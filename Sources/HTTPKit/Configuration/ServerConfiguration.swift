package import LinuxSystem

/// The configuration of a server.
package struct ServerConfiguration: Sendable {
    /// The addresses to listen on; all serve the same handler.
    package var addresses: [ListenAddress]
    /// Listening sockets of a predecessor, which are used for their addresses instead of new ones; the server closes them.
    package var inherited: [ListenAddress: [CInt]] = [:]
    /// The number of event loops, each on a thread of its own, at least one; one per core is best.
    package var loops: Int
    /// Limits on what a client may send.
    package var limits: ServerLimits
    /// Time limits for clients.
    package var timeouts: ServerTimeouts
    /// The maximum number of open connections over all loops; further ones get 503 and are closed.
    package var maximumConnections: Int
    /// The maximum number of open connections of one client over all loops; further ones get 429 and are closed.
    ///
    /// Connections of trusted proxies and over Unix sockets carry requests of many clients, and are not limited by it.
    package var maximumConnectionsPerClient = Int.max
    /// Where the connections of clients are counted.
    package var accounts = ClientAccounts()
    /// The length of the kernel's queue of connections not yet accepted.
    package var backlog: CInt
    /// Whether another process may listen on the same TCP port at the same time, for overlapping restarts.
    ///
    /// The server's own loops always share the port.
    package var sharesPort: Bool
    /// The permissions of Unix sockets that the server creates.
    package var socketMode: SocketMode
    /// How to treat a client that has closed its sending side while waiting for a response.
    package var halfClose: HalfClosePolicy
    /// Whether requests of clients wait for a resource that those of half-closed clients may hold; any thread, must not block.
    package var isContended: @Sendable () -> Bool = { false }
    /// Closes other descriptors when there is none for a connection; `nil` if there are no such descriptors.
    package var relief: DescriptorRelief?
    /// The proxies that are trusted to report client addresses.
    package var proxies: TrustedProxies
    /// Which requests are traced; `nil` for none.
    package var sampling: TraceSampling?
    /// The source of random numbers, called once per loop to seed its request ids.
    package var randomness: @Sendable () -> UInt64
    /// The clocks for timeouts and the `Date` field.
    package var time: any TimeSource

    /// How to treat a client that has sent FIN before its response is ready.
    ///
    /// On TCP, `shutdown(SHUT_WR)` and `close()` are indistinguishable until something is written.
    package enum HalfClosePolicy: String, Hashable, Sendable, CaseIterable {
        /// Send the response (RFC 9112 §9.6), unless other clients wait for what it needs; a reset means that the client is gone.
        case answered = "answer"
        /// Cancel the response, like most reverse proxies.
        case gone
    }

    /// The permissions of a Unix socket; its folder may restrict access further.
    package enum SocketMode: Sendable {
        /// The server's user and group, and root: 0660.
        case ownerAndGroup
        /// Every local user: 0666.
        case everybody
    }

    /// Creates a configuration.
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
