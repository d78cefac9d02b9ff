package import HTTPSemantics

/// A request for an original, with its transfer options.
package struct TransferRequest: Sendable {
    package var target: OriginTarget
    package var options: TransferOptions
    /// The URLs of the same original at other origins of the source, which are asked in turn while the first one fails.
    ///
    /// They receive the source's fields and credentials.
    package var mirrors: [OriginURL] = []
    /// The value of `If-None-Match`.
    package var entityTag: String?
    /// The value of `If-Modified-Since`.
    package var lastModified: String?
    /// The value of `Cookie` for the source's own origin.
    package var cookie: String?
    /// The place in the queue.
    package var priority = RequestPriority.normal
    /// Whether the request may probe a host whose circuit breaker is open.
    package var retriesFailed = false
    /// The trace context and intermediaries of the client's request.
    package var caller = OriginCaller.nobody
    /// The client account of the request that caused the transfer; `nil` for the daemon's own work.
    package var account: String?
    /// The clients that wait for the transfer, in whose turns it may start; it is charged to the one in whose turn it does.
    package var claims = SharedClaims.none
    /// The monotonic nanoseconds after which, as of the transfer's start, no request waits for it; `nil` for none.
    package var deadline: Int64?
    /// The value of `Accept`; `nil` for images.
    package var accept: String?
    /// Examines the beginning of a plain GET's body while the rest arrives; `nil` to accept any content.
    package var inspection: Inspection?
    /// Returns the status as which a final response is treated, from its own status and fields; `nil` to take it as it is.
    package var statusTreatment: (@Sendable (_ status: Int, _ fields: FieldLines) -> Int)?
    /// Returns how many milliseconds to wait for the next response after an interim one; `nil` for `timeouts.afterInterim`.
    package var patience: (@Sendable (InterimResponse) -> Int?)?
    /// A request to send instead of a plain GET; its response is returned unchanged, whatever its status.
    package var exchange: Exchange?
    /// Called with each interim response to forward, on the transfer thread and never after the completion; must not block.
    ///
    /// The lengths of their heads and of the final one together are at most 64 KiB.
    package var interim: (@Sendable (InterimResponse) -> Void)?

    /// Called with the status of each response, those of redirects included, and the announced bytes of its body, on the transfer
    /// thread and never after the completion; must not block.
    package var onHead: HeadObserver?

    /// Observes the heads of responses.
    package typealias HeadObserver = @Sendable (_ status: Int, _ expected: Int?) -> Void

    /// An examination of the first bytes of a body, which ends the transfer if it refuses them.
    package struct Inspection: Sendable {
        /// The result of an examination.
        package enum Verdict: Sendable {
            /// More bytes are needed: this many from the beginning.
            case needs(Int)
            case accepted
            /// The content is useless; the text says why.
            case refused(String)
        }

        /// The number of bytes of the first examination.
        package var first: Int
        /// Examines the bytes received so far, or as many as were asked for; `expected` is the announced length of the body.
        package var examine: @Sendable (_ beginning: [UInt8], _ expected: Int?) -> Verdict

        /// Creates an inspection.
        package init(first: Int, examine: @escaping @Sendable (_ beginning: [UInt8], _ expected: Int?) -> Verdict) {
            self.first = first
            self.examine = examine
        }
    }

    /// A complete request: method, fields and content.
    package struct Exchange: Sendable {
        package var method: String
        /// End-to-end fields, including conditions.
        package var fields: FieldLines
        package var body: [UInt8]

        /// Creates a request.
        package init(method: String, fields: FieldLines, body: [UInt8]) {
            self.method = method
            self.fields = fields
            self.body = body
        }
    }

    /// Creates a request; conditional if validators are given.
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

/// The location of an original.
package enum OriginTarget: Hashable, Sendable {
    case url(OriginURL)
    /// A path below the source's root: decoded segments joined with "/".
    case file(String)
    /// Content within the request.
    case data(DataURL)
    /// The picture that a page names, which may have up to `limit` bytes.
    case page(OriginURL, limit: Int)

    /// The URL to request first; `nil` for a file and for `data:`.
    package var url: OriginURL? {
        switch self {
        case .url(let url), .page(let url, _): url
        case .file, .data: nil
        }
    }

    /// The URL or the path; for `data:` a summary.
    package var text: String {
        switch self {
        case .url(let url), .page(let url, _): url.text
        case .file(let path): path
        case .data(let data): data.summary
        }
    }
}
