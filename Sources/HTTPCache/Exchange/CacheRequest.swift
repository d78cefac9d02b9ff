package import HTTPSemantics

/// A request to the cache: for an original of a picture, or through a raw source, with any method, fields and content.
package struct CacheRequest<Origin: CacheOrigin>: Sendable {
    /// A token (RFC 9110 §9.1), case-sensitive.
    package private(set) var method = "GET"
    /// The URL and the source's rule; its key is the cache key (RFC 9111 §2).
    package let origin: Origin
    /// End-to-end fields to forward, without `Host`; none for originals, whose requests are the daemon's own.
    package private(set) var fields = FieldLines()
    package private(set) var body: [UInt8] = []
    /// The intermediaries that the request has passed.
    package var caller = OriginCaller.nobody
    /// The request's cache directives (RFC 9111 §5.2.1, §5.4).
    package var demand: CacheDemand
    /// Whether the content is needed; else a conditional request will do although the stored content is gone.
    package var needsBody = true
    /// Whether it refreshes a stale response in the background, so that none is an answer.
    package var isRefresh = false
    /// Whether responses are passed to the client as the origin sent them, whatever their status.
    package let passesResponses: Bool

    /// A request for the original of a picture.
    package init(_ origin: Origin, demand: CacheDemand = .none, caller: OriginCaller = .nobody) {
        self.origin = origin
        self.demand = demand
        self.caller = caller
        passesResponses = false
    }

    /// A request through a raw source.
    ///
    /// - Parameter fields: the fields as received; those of the connection, or for intermediaries only, are dropped here.
    package init(method: String, origin: Origin, fields: FieldLines, body: [UInt8] = []) {
        self.method = method
        self.origin = origin
        passesResponses = true
        var fields = fields.endToEnd
        // Host and Content-Length are written anew, and 100-continue has been answered.
        fields.remove(["host", "content-length", "expect"])
        // A visitor's credentials are for this server, and not for any host that `/fetch` may name.
        if origin.rule.isRemote { fields.remove(["authorization", "cookie", "proxy-authorization"]) }
        self.fields = fields.forwardable(method: method)
        self.body = body
        var control = fields["cache-control"].map { CacheControl($0) } ?? CacheControl()
        // RFC 9111 §5.4: Pragma counts only without Cache-Control.
        if !fields.contains("cache-control"), let pragma = fields["pragma"] {
            if FieldLines.members(pragma).contains("no-cache") { control.noCache = .whole }
        }
        demand = CacheDemand(control, isTrusted: true)
    }

    /// The rule of the source.
    package var source: CacheRule { origin.rule }
    /// The key of the stored responses.
    package var key: CacheKey { origin.key }
    /// Whether the request named the whole URL (`/fetch?url=`).
    package var isRemote: Bool { origin.rule.isRemote }
    /// Whether the disk keeps what comes of it.
    package var keepsOnDisk: Bool { origin.keeps.originals.keepOnDisk }
    /// Which tiers keep its responses: those of originals.
    package var tiers: CacheTiers { origin.rule.cache.originals }
    /// Whether stored responses may answer it at all.
    package var isCacheable: Bool { isGet || isHead }
    package var isGet: Bool { method == "GET" }
    package var isHead: Bool { method == "HEAD" }
    /// RFC 9110 §9.2.1.
    package var isSafe: Bool { ["GET", "HEAD", "OPTIONS", "TRACE"].contains(method) }
    /// Whether it asks for a part.
    package var isPartial: Bool { isGet && fields.contains("range") }
    /// Whether only the origin can evaluate its conditions (RFC 9110 §13.1.1, §13.1.4).
    package var isForOrigin: Bool { fields.contains("if-match") || fields.contains("if-unmodified-since") }

    /// Whether its response depends on nothing that is particular to this client, as far as the request tells.
    package var isPlain: Bool { isImpersonal && !isPartial }

    private var isImpersonal: Bool {
        isGet && body.isEmpty && !isForOrigin
            && !["authorization", "if-none-match", "if-modified-since"].contains { fields.contains($0) }
    }

    /// Whether the whole response may be fetched, and kept, to answer with the part that is asked for.
    package var mayWiden: Bool { isPartial && isImpersonal && !demand.noCache && !demand.noStore && tiers != .none }

    /// Whether another request's response may do, if it can be stored.
    package var mayCollapse: Bool { isPlain && !demand.noCache && !demand.noStore }

    /// What the storability of its responses depends on (RFC 9111 §3).
    package var policy: ResponsePolicy.Request {
        ResponsePolicy.Request(
            isGet: isGet,
            isAuthorized: fields.contains("authorization"),
            noStore: passesResponses && demand.noStore
        )
    }

    /// The source's say in freshness: its `ttl` settings for originals; a raw source adds nothing to what its origin says.
    ///
    /// - Parameters:
    ///   - granted: seconds that the loader grants.
    ///   - missing: seconds for which a raw source remembers a 404 or 410 that states no lifetime.
    package func bounds(granted: Int64?, missing: Int64?) -> ResponsePolicy.Bounds {
        guard !passesResponses else { return ResponsePolicy.Bounds(missingLifetime: missing) }
        return ResponsePolicy.Bounds(
            defaultLifetime: source.ttl,
            minimum: source.ttlMinimum,
            maximum: source.ttlMaximum,
            granted: granted
        )
    }

    /// The same for the whole response, without the client's conditions.
    package var unconditional: CacheRequest {
        var request = self
        request.fields.remove(["if-none-match", "if-modified-since", "range", "if-range"])
        return request
    }

    /// The same with GET, for judging what a response to HEAD says of the stored one.
    package var asGet: CacheRequest {
        var request = self
        request.method = "GET"
        return request
    }

    /// The same with the validators of a stored response (RFC 9111 §4.3.1).
    package func validating(_ stored: StoredResponse) -> CacheRequest {
        var request = unconditional
        if let tag = stored.fields.line("etag") { request.fields.append("If-None-Match", tag) }
        if let modified = stored.fields.line("last-modified") { request.fields.append("If-Modified-Since", modified) }
        return request
    }
}

/// Under which keys failures of a request are remembered.
extension CacheRequest {
    /// Whether failures of the request are remembered.
    ///
    /// Of a raw source only those of plain requests.
    package var remembersFailures: Bool { source.negative && !origin.keepsNothing && (!passesResponses || isPlain) }

    /// The key under which failures of the request are remembered.
    ///
    /// A raw source forwards its client's fields, and the origin may refuse a request for any of them. No client may deny others
    /// the response that way, so only requests with equal fields share a failure.
    package var failureKey: CacheKey {
        let key = origin.failureKey(for: caller)
        guard passesResponses else { return key }
        let lines = fields.lines.map { "\($0.key):\($0.text)" }.sorted()
        return CacheKey(hashing: "failure/2\n\(key)\n\(lines.joined(separator: "\n"))")
    }
}
