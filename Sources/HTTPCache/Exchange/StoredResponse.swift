package import HTTPSemantics
package import LinuxSystem

/// A response, complete or partial, that may be reused for other requests (RFC 9111 §3); it is stored once its content has arrived.
package struct StoredResponse: Sendable {
    /// The content of a stored response.
    package enum Content: Sendable {
        case bytes([UInt8])
        case file(OriginBody)
        /// Content in a part of a file.
        case section(SharedDescriptor, Range<Int>)
        /// The content is still arriving, so that the response cannot be stored yet.
        case growing(GrowingFile)
        /// Some parts of the content, from 206 responses.
        case parts(StoredParts)
        /// The content was evicted; the fields remain for objects derived from it.
        case evicted

        /// The length in bytes, of the complete representation; 0 if evicted, `nil` if unknown.
        package var length: Int? {
            switch self {
            case .bytes(let bytes): bytes.count
            case .file(let body): body.length
            case .section(_, let range): range.count
            case .growing(let file): file.expected
            case .parts(let parts): parts.length
            case .evicted: 0
            }
        }
    }

    package let status: Int
    /// The end-to-end fields without `Age`, `Content-Length` and fields named by `private`.
    package private(set) var fields: FieldLines
    package internal(set) var content: Content
    /// What the response allows a shared cache to do.
    package private(set) var policy: ResponsePolicy
    /// Selects the requests for which it may be reused.
    package let vary: VaryKey
    /// Whether the origin has since denied access to a client; stale use then requires validation.
    private(set) var needsValidation = false
    /// What was known of purges when the origin was asked for it, or for its last validation.
    package var stamp = PurgeStamp()
    /// The shared state that variants of an original refer to; `nil` for responses of raw sources.
    package var original: OriginSnapshot?

    /// Creates a response in its stored form; `isStorable(for:)` decides whether it may be stored.
    init(_ response: FetchedResponse, to request: CacheRequest<some CacheOrigin>, policy: ResponsePolicy) {
        status = response.status
        content = response.storedContent
        self.policy = policy
        vary = VaryKey(vary: response.fields["vary"], request: request.fields)
        fields = Self.kept(response.fields, policy)
        // RFC 9110 §6.6.1: a recipient that stores a response without Date adds the time of receipt.
        if !fields.contains("date") {
            fields.append("Date", HTTPDate(clamping: response.responseTime).description)
        }
    }

    /// Restores a response from its fields and freshness.
    init(status: Int, fields: FieldLines, content: Content, freshness: Freshness, vary: VaryKey) {
        self.init(
            status: status,
            fields: fields,
            content: content,
            policy: ResponsePolicy(storedWith: fields, freshness: freshness),
            vary: vary
        )
    }

    /// Restores a response with its policy.
    package init(status: Int, fields: FieldLines, content: Content, policy: ResponsePolicy, vary: VaryKey) {
        self.status = status
        self.fields = fields
        self.content = content
        self.policy = policy
        self.vary = vary
    }

    private static func kept(_ fields: FieldLines, _ policy: ResponsePolicy) -> FieldLines {
        var kept = fields.endToEnd
        kept.remove(["age", "content-length"])
        if case .fields(let names) = policy.control.private { kept.remove(names) }
        return kept
    }

    /// Whether it may be stored as the response to a request (RFC 9111 §3), and could ever be reused.
    func isStorable(for request: CacheRequest<some CacheOrigin>) -> Bool {
        guard policy.isStorable, !vary.isAny, mayBeShared(by: request.source) else { return false }
        // Variants of an original stay valid while its bytes are unchanged, fresh or not.
        guard request.passesResponses else { return true }
        // A response that is stale at once and has no validator wastes memory; an error would also replace a usable response.
        let isUsefulStale =
            hasValidator || staleWhileRevalidate(request.source) > 0 || staleIfError(request.source) > 0
        return policy.freshness.lifetime > 0 || isUsefulStale && !StaleAllowance.mayReplace(status: status)
    }

    /// Whether a source may send it to other clients; a raw source must allow it to share `Set-Cookie`.
    func mayBeShared(by source: CacheRule) -> Bool {
        !source.isRaw || source.storesCookies || !fields.contains("set-cookie")
    }

    /// Whether its `Vary` key matches a request's fields (RFC 9111 §4.1).
    func matches(_ request: CacheRequest<some CacheOrigin>) -> Bool { vary.matches(request.fields) }
    /// Whether the origin no longer allows storing it (`no-store`, `private`).
    var isWithdrawn: Bool { policy.control.noStore || policy.control.private == .whole }

    /// The value of `ETag`.
    var entityTag: String? { fields["etag"] }
    /// The value of `Last-Modified`.
    var lastModified: String? { fields["last-modified"] }
    /// Whether it can be validated.
    var hasValidator: Bool { entityTag != nil || lastModified != nil }

    /// Whether the content has arrived completely.
    package var isComplete: Bool { if case .growing = content { false } else { true } }
    /// Whether the content is in memory, or absent.
    var isInMemory: Bool {
        switch content {
        case .bytes, .parts, .evicted: true
        case .file, .section, .growing: false
        }
    }

    /// Returns the response with its content in memory; `nil` if it is longer than `limit` bytes or cannot be read.
    func inMemory(limit: Int) -> StoredResponse? {
        let (file, range): (SharedDescriptor, Range<Int>)
        switch content {
        case .file(let body): (file, range) = (body.file, 0..<body.length)
        case .section(let found, let place): (file, range) = (found, place)
        case .bytes, .growing, .parts, .evicted: return self
        }
        guard range.count <= limit, let bytes = file.read(range) else { return nil }
        var response = self
        response.content = .bytes(bytes)
        return response
    }

    /// The content in memory; empty if it is in a file, partial or evicted.
    var bytes: [UInt8] { if case .bytes(let bytes) = content { bytes } else { [] } }

    /// The fields that may be sent without validation (RFC 9111 §5.2.2.4).
    var fieldsWithoutValidation: FieldLines {
        guard case .fields(let names) = policy.control.noCache else { return fields }
        var allowed = fields
        allowed.remove(names)
        return allowed
    }

    /// Its cost in memory, estimated, in bytes.
    var cost: Int {
        let parts = if case .parts(let parts) = content { parts.byteCount } else { 0 }
        return bytes.count + parts + fields.cost + vary.cost + 512
    }
    /// When the origin last sent or validated it, in wall-clock seconds.
    var confirmedAt: Int64 { policy.freshness.responseTime }
    /// The origin's tags for purging.
    package var tags: [String] {
        OriginTags.parse(["cache-tag", "surrogate-key", "xkey"].compactMap { fields[$0] }.joined(separator: ","))
    }
    /// When it was generated, in wall-clock seconds; selects the most recent of several responses (RFC 9111 §4.1).
    var date: Int64 { policy.freshness.bornAt }

    /// Updates the fields from a 304 or a response to HEAD (RFC 9111 §3.2, §4.3.4).
    ///
    /// Afterwards, `policy.isStorable` decides whether it may still be stored.
    mutating func update(
        with response: FetchedResponse,
        for request: CacheRequest<some CacheOrigin>,
        bounds: ResponsePolicy.Bounds
    ) {
        var news = response.fields.endToEnd
        // These describe the content, which is unchanged.
        news.remove(["age", "content-length", "content-encoding", "content-range"])
        if request.source.isRaw, !request.source.storesCookies { news.remove(["set-cookie"]) }
        // Without Date, the response was generated on receipt (RFC 9110 §6.6.1); the stored Date would make it look older.
        if !news.contains("date") { news.append("Date", HTTPDate(clamping: response.responseTime).description) }
        var merged = fields
        merged.replace(with: news)
        var judged = merged
        if let age = response.fields["age"] { judged.append("Age", age) }
        policy = ResponsePolicy(
            request.asGet.policy,
            status: status,
            fields: judged,
            requestTime: response.requestTime,
            responseTime: response.responseTime,
            bounds: bounds
        )
        fields = Self.kept(merged, policy)
        needsValidation = false
    }

    /// Requires validation before stale use.
    package mutating func requireValidation() { needsValidation = true }
    /// Makes it stale.
    mutating func expire() { policy = policy.expired }
    /// Makes it stale at `now`, in wall-clock seconds, unless it expires earlier.
    mutating func expire(at now: Int64) { policy = policy.expired(at: now) }
}

/// Stale use (RFC 5861).
extension StoredResponse {
    /// Seconds of `stale-while-revalidate`: the response's value, otherwise the source's.
    func staleWhileRevalidate(_ source: CacheRule) -> Int64 {
        policy.staleAllowance.whileRevalidating ?? source.staleWhileRevalidate
    }

    /// Seconds of `stale-if-error`: the response's value, otherwise the source's.
    ///
    /// The source's setting applies only to responses that were once fresh or stated a lifetime.
    private func staleIfError(_ source: CacheRule) -> Int64 {
        let wasFresh = policy.freshness.lifetime > 0 || policy.control.maxAge != nil || fields.contains("expires")
        return policy.staleAllowance.ifError ?? (wasFresh ? source.staleIfError : 0)
    }

    /// Whether it may be served to a request instead of a failure (RFC 9111 §4.2.4, RFC 5861 §4).
    ///
    /// - Parameter progress: the node's knowledge of purges: one that they may concern counts as stale, however fresh it is.
    func mayReplaceError(
        at now: Int64,
        for request: CacheRequest<some CacheOrigin>,
        _ progress: PurgeProgress = .alone
    ) -> Bool {
        let staleness = policy.freshness.staleness(at: now)
        guard mayReplaceFailure(for: request) else { return false }
        guard progress.trust(stamp) == .full else { return max(0, staleness) < staleIfError(request.source) }
        return staleness < staleIfError(request.source) || staleness < 0 && !policy.forbidsStale
    }

    /// Whether it may be served, however stale, while the origin is deliberately not asked (RFC 9111 §4.2.4).
    package func mayReplaceDisconnection(for request: CacheRequest<some CacheOrigin>) -> Bool {
        mayReplaceFailure(for: request) && !policy.forbidsStale
    }

    private func mayReplaceFailure(for request: CacheRequest<some CacheOrigin>) -> Bool {
        // A request that requires validation accepts no stale response.
        request.isCacheable && !request.demand.isStrict && !needsValidation && canAnswer(request)
            && !StaleAllowance.mayReplace(status: status)
    }
}
