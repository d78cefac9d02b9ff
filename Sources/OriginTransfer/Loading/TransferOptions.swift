/// The settings and limits of transfers from one source.
package struct TransferOptions: Hashable, Sendable {
    /// The source's name; connections are limited per source and origin.
    package var source: String
    /// The root folder of a file source; `nil` for URLs.
    package var root: String?
    /// Whether loopback, private and link-local addresses are allowed.
    package var allowPrivate = false
    /// Whether clients choose the URL rather than the configuration.
    package var isForeign = false
    /// Header fields of every request to the source's own origin, in order.
    package var headers: [HeaderField] = []
    /// Credentials for the source's own origin.
    package var credentials: SourceCredentials?
    /// How bodies are decoded; `nil` to keep them as they are.
    package var decryption: BodyDecryption?
    /// Whether bodies are stored on disk unless their response forbids it.
    package var isStored = false
    /// The region for signatures with access keys; `nil` disables signing.
    package var signingRegion: String?
    /// The maximum number of concurrent connections to one host.
    package var connections = 6
    package var tls = TransferTLS()
    /// The proxy of all requests, redirects included.
    package var proxy: TransferProxy?
    /// Where connections start; `nil` for the system's choice.
    package var interface: TransferInterface?
    package var limits = TransferLimits()
    package var timeouts = TransferTimeouts()

    /// Creates options with the defaults.
    package init(source: String) {
        self.source = source
    }
}

/// Limits of one load.
package struct TransferLimits: Hashable, Sendable {
    /// Maximum bytes of the decoded body.
    package var bytes: Int
    /// Maximum number of redirects.
    package var redirects: Int
    /// Maximum number of repetitions of a safe request that has failed, including those for the rest of a body.
    package var retries: Int

    /// Creates limits.
    package init(bytes: Int = 64 << 20, redirects: Int = 5, retries: Int = 1) {
        self.bytes = bytes
        self.redirects = redirects
        self.retries = retries
    }
}

/// Timeouts in milliseconds.
package struct TransferTimeouts: Hashable, Sendable {
    package var connect: Int
    package var firstByte: Int
    /// From an interim response to the next one or the final one; `nil` if an interim response extends nothing.
    package var afterInterim: Int?
    /// From the last sign of life of the peer's system to the end of the connection, also while a response is awaited; `nil` for the
    /// system's default of hours.
    ///
    /// The kernel asks after half of it, in whole seconds, so that it takes two seconds at least (tcp(7): `TCP_KEEPIDLE`,
    /// `TCP_USER_TIMEOUT`). The other side's program need not run for that.
    package var silence: Int?
    /// From the call of `load`, including time in the queue.
    package var total: Int

    /// Creates timeouts.
    package init(connect: Int = 5_000, firstByte: Int = 10_000, total: Int = 30_000) {
        self.connect = connect
        self.firstByte = firstByte
        self.total = total
    }
}
