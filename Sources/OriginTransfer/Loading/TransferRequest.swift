package import HTTPSemantics

/// What to load from an origin, and how.
package struct TransferRequest: Sendable {
    package var target: OriginTarget
    package var options: TransferOptions
    /// `If-None-Match`, as sent.
    package var entityTag: String?
    /// `If-Modified-Since`, as sent.
    package var lastModified: String?
    /// The intermediaries in front, and the trace that the request belongs to.
    package var chain = Chain()
    /// The request to send in place of a plain GET; its response comes back as it is, whatever its status.
    package var exchange: Exchange?

    /// Fields that tie a request to the one that caused it.
    package struct Chain: Hashable, Sendable {
        /// `traceparent` (W3C Trace Context).
        package var traceparent: String?
        /// `Via` of the intermediaries before this one (RFC 9110 §7.6.3).
        package var via: String?
        /// `CDN-Loop` of the intermediaries before this one (RFC 8586).
        package var cdnLoop: String?

        /// Creates the chain of a request.
        package init(traceparent: String? = nil, via: String? = nil, cdnLoop: String? = nil) {
            self.traceparent = traceparent
            self.via = via
            self.cdnLoop = cdnLoop
        }
    }

    /// A whole request: method, fields and content.
    package struct Exchange: Sendable {
        package var method: String
        /// End-to-end fields, conditions among them.
        package var fields: FieldLines
        package var body: [UInt8]

        /// Creates a request.
        package init(method: String, fields: FieldLines, body: [UInt8]) {
            self.method = method
            self.fields = fields
            self.body = body
        }
    }

    /// Creates a request; conditional when validators are given.
    package init(
        _ target: OriginTarget,
        options: TransferOptions,
        entityTag: String? = nil,
        lastModified: String? = nil
    ) {
        self.target = target
        self.options = options
        self.entityTag = entityTag
        self.lastModified = lastModified
    }
}

/// How one source's origin is asked, and what a transfer from it may take.
package struct TransferOptions: Hashable, Sendable {
    /// The source's name; connections are counted for each source and origin.
    package var source: String
    /// The folder that holds the files; `nil` for URLs.
    package var root: String?
    /// Whether loopback, private and link-local addresses may be asked.
    package var allowPrivate = false
    /// Whether clients choose the URL, and not the configuration.
    package var isForeign = false
    /// Fields of each request to the source's own origin, in order.
    package var headers: [HeaderField] = []
    /// The proof of access for the source's own origin.
    package var credentials: SourceCredentials?
    /// The region that access keys sign for; without one they do not sign.
    package var signingRegion: String?
    /// The most connections to one host at a time.
    package var connections = 6
    package var limits = TransferLimits()
    package var timeouts = TransferTimeouts()

    /// Creates options with the defaults.
    package init(source: String) {
        self.source = source
    }
}

/// Bounds of one load.
package struct TransferLimits: Hashable, Sendable {
    /// Bytes of the decoded body.
    package var bytes: Int
    /// Redirects that are followed.
    package var redirects: Int

    /// Creates limits.
    package init(bytes: Int = 64 << 20, redirects: Int = 5) {
        self.bytes = bytes
        self.redirects = redirects
    }
}

/// Times in milliseconds.
package struct TransferTimeouts: Hashable, Sendable {
    package var connect: Int
    package var firstByte: Int
    /// From the call of `load` on, time in the queue included.
    package var total: Int

    /// Creates timeouts.
    package init(connect: Int = 5_000, firstByte: Int = 10_000, total: Int = 30_000) {
        self.connect = connect
        self.firstByte = firstByte
        self.total = total
    }
}

/// A header field of a request, as configured.
package struct HeaderField: Hashable, Sendable {
    package var name: String
    package var value: String

    /// Creates a field.
    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}

/// Loads originals; any thread.
package protocol TransferLoading: Sendable {
    /// Starts a load and returns at once.
    ///
    /// `completion` is called exactly once, on the loader's own thread, for cancelled loads too. It must not block.
    func load(
        _ request: TransferRequest,
        completion: @escaping @Sendable (Result<TransferResponse, TransferError>) -> Void
    ) -> any LoadHandle
}

/// A load under way; any thread.
package protocol LoadHandle: Sendable {
    /// Gives the load up; its completion gets `.cancelled` unless it has ended already.
    func cancel()
    /// Bytes of the body received so far.
    var received: Int { get }
}
