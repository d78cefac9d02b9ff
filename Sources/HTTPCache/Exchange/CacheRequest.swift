package import HTTPSemantics

/// A request to the cache: a GET for an original, or any request through a raw source.
package struct CacheRequest<Origin: CacheOrigin>: Sendable {
    /// A token (RFC 9110 §9.1), case-sensitive.
    private(set) var method = "GET"
    /// The target, with the source's rule and the cache key (RFC 9111 §2).
    package let origin: Origin
    /// End-to-end fields to forward, without `Host`; empty for originals, which the daemon requests itself.
    private(set) var fields = FieldLines()
    private(set) var body: [UInt8] = []
    /// The trace context and intermediaries to forward.
    package var caller = OriginCaller.nobody
    /// The client account that the work is charged to; `nil` for the daemon's own work.
    package var account: String?
    /// When the response becomes useless to all waiting requests.
    package var deadline = SharedDeadline.none
    /// The request's cache directives (RFC 9111 §5.2.1, §5.4).
    package var demand: CacheDemand
    /// Whether the content is needed; if not, a response whose content was evicted can still be validated.
    package var needsBody = true
    /// Whether this is a background refresh, which a stale response cannot satisfy.
    package var isRefresh = false
    /// The place of its load in the queue; a background refresh has the last.
    package var priority = RequestPriority.normal
    /// Whether responses of any status are passed to the client unchanged, as for raw sources.
    let passesResponses: Bool

    /// Creates a request for an original.
    package init(_ origin: Origin, demand: CacheDemand = .none, caller: OriginCaller = .nobody) {
        self.origin = origin
        self.demand = demand
        self.caller = caller
        passesResponses = false
    }

    /// Creates a request through a raw source.
    ///
    /// - Parameter fields: the fields as received; hop-by-hop fields are removed here.
    package init(method: String, origin: Origin, fields: FieldLines, body: [UInt8] = []) {
        self.method = method
        self.origin = origin
        passesResponses = true
        var fields = fields.endToEnd
        // Host and Content-Length are generated, and the server has already handled 100-continue.
        fields.remove(["host", "content-length", "expect"])
        // A client's credentials are for this server; never forward them to hosts named in `/fetch` URLs.
        if origin.rule.isRemote { fields.remove(["authorization", "cookie", "proxy-authorization"]) }
        self.fields = fields.forwardable(method: method)
        self.body = body
        var control = fields["cache-control"].map { CacheControl($0) } ?? CacheControl()
        // RFC 9111 §5.4: Pragma applies only without Cache-Control.
        if !fields.contains("cache-control"), let pragma = fields["pragma"] {
            if FieldLines.members(pragma).contains("no-cache") { control.noCache = .whole }
        }
        demand = CacheDemand(control, isTrusted: true)
    }

    /// The rule of the source.
    var source: CacheRule { origin.rule }
    /// The key of the stored responses.
    package var key: CacheKey { origin.key }
    /// Whether the client supplied the whole URL (`/fetch?url=`).
    var isRemote: Bool { origin.rule.isRemote }
    /// Whether the response may be stored on disk.
    var keepsOnDisk: Bool { origin.keeps.originals.keepOnDisk }
    /// The tiers that store responses: those configured for originals.
    var tiers: CacheTiers { origin.rule.cache.originals }
    /// Whether the method allows a stored response.
    var isCacheable: Bool { isGet || isHead }
    var isGet: Bool { method == "GET" }
    var isHead: Bool { method == "HEAD" }
    /// Whether the method is safe (RFC 9110 §9.2.1).
    var isSafe: Bool { ["GET", "HEAD", "OPTIONS", "TRACE"].contains(method) }
    /// Whether this is a range request.
    var isPartial: Bool { isGet && fields.contains("range") }
    /// Whether only the origin can evaluate its conditions (RFC 9110 §13.1.1, §13.1.4).
    var isForOrigin: Bool { fields.contains("if-match") || fields.contains("if-unmodified-since") }

    /// Whether any client could share the response, judging by the request: a GET for the whole content without credentials,
    /// conditions or body.
    var isPlain: Bool { isImpersonal && !isPartial }

    private var isImpersonal: Bool {
        isGet && body.isEmpty && !isForOrigin
            && !["authorization", "if-none-match", "if-modified-since"].contains { fields.contains($0) }
    }

    /// Whether the whole response may be fetched and stored to serve the requested range.
    var mayWiden: Bool { isPartial && isImpersonal && !demand.noCache && !demand.noStore && tiers != .none }

    /// Whether the request may wait for another request's response (RFC 9211 `collapsed`).
    var mayCollapse: Bool { isPlain && !demand.noCache && !demand.noStore }

    /// The properties of the request that decide whether its responses are storable (RFC 9111 §3).
    var policy: ResponsePolicy.Request {
        ResponsePolicy.Request(
            isGet: isGet,
            isAuthorized: fields.contains("authorization"),
            noStore: passesResponses && demand.noStore
        )
    }

    /// Returns the source's limits on freshness: its `ttl` settings for originals; raw sources keep the origin's values.
    ///
    /// - Parameters:
    ///   - source: the settings for the response.
    ///   - granted: the lifetime granted by the loader, in seconds.
    ///   - missing: the lifetime of a raw source's 404 or 410 without freshness fields, in seconds.
    func bounds(_ source: CacheRule, granted: Int64?, missing: Int64?) -> ResponsePolicy.Bounds {
        guard !passesResponses else { return ResponsePolicy.Bounds(missingLifetime: missing) }
        return ResponsePolicy.Bounds(
            defaultLifetime: source.ttl,
            minimum: source.ttlMinimum,
            maximum: source.ttlMaximum,
            granted: granted
        )
    }

    /// The request without conditions and range.
    var unconditional: CacheRequest {
        var request = self
        request.fields.remove(["if-none-match", "if-modified-since", "range", "if-range"])
        return request
    }

    /// Returns the request for revalidating a stored response in the background.
    func refreshing(_ stored: StoredResponse) -> CacheRequest {
        guard stored.isPartial else { return unconditional }
        var request = self
        request.fields.remove(["if-none-match", "if-modified-since", "if-range"])
        return request
    }

    /// The request with method GET, for updating a stored response from a response to HEAD.
    var asGet: CacheRequest {
        var request = self
        request.method = "GET"
        return request
    }

    /// Returns the request with the validators of a stored response (RFC 9111 §4.3.1).
    ///
    /// If only parts are stored, it keeps its range and `If-Range`, which the origin evaluates after them (RFC 9110 §13.2.2).
    func validating(_ stored: StoredResponse) -> CacheRequest {
        var request = stored.isPartial ? self : unconditional
        request.fields.remove(["if-none-match", "if-modified-since"])
        if let tag = stored.fields.line("etag") { request.fields.append("If-None-Match", tag) }
        if let modified = stored.fields.line("last-modified") { request.fields.append("If-Modified-Since", modified) }
        return request
    }
}

extension CacheRequest {
    /// Appends a field.
    mutating func append(_ name: String, _ value: String) { fields.append(name, value) }
    /// Appends the value of another field line under a name.
    mutating func append(_ name: String, _ line: FieldLine) { fields.append(name, line) }
}

/// Negative caching.
extension CacheRequest {
    /// Whether failures of the request are remembered; for raw sources, only those of plain requests.
    var remembersFailures: Bool { source.negative && !origin.keepsNothing && (!passesResponses || isPlain) }

    /// The key under which failures of the request are remembered.
    ///
    /// A raw source forwards the client's fields, and the origin may refuse a request because of any of them. Only requests with
    /// equal fields share a failure, so that no client can make requests of others fail.
    package var failureKey: CacheKey {
        let key = origin.failureKey(for: caller)
        guard passesResponses else { return key }
        let lines = fields.lines.map { "\($0.key):\($0.text)" }.sorted()
        return CacheKey(hashing: "failure/2\n\(key)\n\(lines.joined(separator: "\n"))")
    }
}
