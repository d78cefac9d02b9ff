package import HTTPSemantics

/// A complete response that may answer other requests (RFC 9111 §3).
package struct StoredResponse: Sendable {
    /// The content of a stored response.
    package enum Content: Sendable {
        case bytes([UInt8])
        case file(OriginBody)
        /// Evicted, while the head is kept for what was derived from the content.
        case evicted

        /// Bytes.
        package var length: Int {
            switch self {
            case .bytes(let bytes): bytes.count
            case .file(let body): body.length
            case .evicted: 0
            }
        }
    }

    package let status: Int
    /// The end-to-end fields, without `Age` and without those that are private to a client.
    package private(set) var fields: FieldLines
    package let content: Content
    /// What it allows.
    package private(set) var policy: ResponsePolicy
    /// Which requests it answers.
    package let vary: VaryKey
    /// Whether the origin has denied it to a client since: then it is not served stale without validation.
    package private(set) var needsValidation = false
    /// The shared state that variants of an original refer to; `nil` for responses of raw sources.
    package var original: OriginSnapshot?

    /// A response as it is kept; whether it may be kept at all `isStorable(for:)` says.
    package init(_ response: FetchedResponse, to request: CacheRequest<some CacheOrigin>, policy: ResponsePolicy) {
        status = response.status
        content =
            switch response.content {
            case .none: .bytes([])
            case .bytes(let bytes): .bytes(bytes)
            case .file(let body): .file(body)
            }
        self.policy = policy
        vary = VaryKey(vary: response.fields["vary"], request: request.fields)
        fields = Self.kept(response.fields, policy)
        // RFC 9110 §6.6.1: a recipient that stores a response without Date adds the time of receipt.
        if !fields.contains("date") {
            fields.append("Date", HTTPDate(clamping: response.responseTime).description)
        }
    }

    /// A response as it was stored.
    package init(status: Int, fields: FieldLines, content: Content, freshness: Freshness, vary: VaryKey) {
        self.init(
            status: status,
            fields: fields,
            content: content,
            policy: ResponsePolicy(storedWith: fields, freshness: freshness),
            vary: vary
        )
    }

    /// A response as it was stored, with its policy.
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

    /// Whether it may be stored as the response to a request (RFC 9111 §3), and could ever be used.
    package func isStorable(for request: CacheRequest<some CacheOrigin>) -> Bool {
        guard policy.isStorable, !vary.isAny, mayBeShared(by: request.source) else { return false }
        // Variants of an original stay valid as long as it comes with the same bytes, fresh or not.
        guard request.passesResponses else { return true }
        // What is stale at once and cannot be validated only fills the memory; an error would also displace a better response.
        let isUsefulStale =
            hasValidator || staleWhileRevalidate(request.source) > 0 || staleIfError(request.source) > 0
        return policy.freshness.lifetime > 0 || isUsefulStale && !StaleAllowance.mayReplace(status: status)
    }

    /// Whether a source gives it to other clients: with its cookies, if it has any.
    package func mayBeShared(by source: CacheRule) -> Bool {
        !source.isRaw || source.storesCookies || !fields.contains("set-cookie")
    }

    /// Whether it may answer a request with these fields (RFC 9111 §4.1).
    package func matches(_ request: CacheRequest<some CacheOrigin>) -> Bool { vary.matches(request.fields) }
    /// Whether its origin no longer allows that it is kept.
    package var isWithdrawn: Bool { policy.control.noStore || policy.control.private == .whole }

    /// `ETag`.
    package var entityTag: String? { fields["etag"] }
    /// `Last-Modified`.
    package var lastModified: String? { fields["last-modified"] }
    /// Whether the origin can be asked if it is still current.
    package var hasValidator: Bool { entityTag != nil || lastModified != nil }

    /// Whether the content is there.
    package var hasContent: Bool { if case .evicted = content { false } else { true } }
    /// The content where it is in memory.
    package var bytes: [UInt8] { if case .bytes(let bytes) = content { bytes } else { [] } }

    /// The fields that may be sent without validation (RFC 9111 §5.2.2.4).
    package var fieldsWithoutValidation: FieldLines {
        guard case .fields(let names) = policy.control.noCache else { return fields }
        var allowed = fields
        allowed.remove(names)
        return allowed
    }

    /// Bytes that it takes in memory.
    package var cost: Int { bytes.count + fields.byteCount + 512 }
    /// When the origin last sent or confirmed it, wall-clock seconds.
    package var confirmedAt: Int64 { policy.freshness.responseTime }
    /// The origin's tags for purging.
    package var tags: [String] {
        OriginTags.parse(["cache-tag", "surrogate-key", "xkey"].compactMap { fields[$0] }.joined(separator: ","))
    }
    /// When it was generated, for choosing the most recent of several (RFC 9111 §4.1).
    package var date: Int64 { policy.freshness.bornAt }

    /// Takes over what a 304, or a response to HEAD, says of it (RFC 9111 §3.2, §4.3.4).
    ///
    /// `policy.isStorable` then says whether it may still be kept.
    package mutating func update(
        with response: FetchedResponse,
        for request: CacheRequest<some CacheOrigin>,
        bounds: ResponsePolicy.Bounds
    ) {
        var news = response.fields.endToEnd
        // These describe the content, which stays as it was stored.
        news.remove(["age", "content-length", "content-encoding", "content-range"])
        if request.source.isRaw, !request.source.storesCookies { news.remove(["set-cookie"]) }
        // Without Date, the response was generated on receipt (RFC 9110 §6.6.1); the stored Date would age the new one.
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

    /// Requires validation before any stale use.
    package mutating func requireValidation() { needsValidation = true }
    /// Ends its freshness.
    package mutating func expire() { policy = policy.expired }
    /// Ends its freshness at a second of the wall clock, unless it ends earlier.
    package mutating func expire(at now: Int64) { policy = policy.expired(at: now) }
}

/// For how long it may be used stale (RFC 5861), in seconds.
extension StoredResponse {
    /// While the origin is asked: what the response says, else the source.
    package func staleWhileRevalidate(_ source: CacheRule) -> Int64 {
        policy.staleAllowance.whileRevalidating ?? source.staleWhileRevalidate
    }

    /// When the origin fails: what the response says, else the source.
    ///
    /// The source's setting is for responses that were fresh once, or stated a lifetime.
    package func staleIfError(_ source: CacheRule) -> Int64 {
        let wasFresh = policy.freshness.lifetime > 0 || policy.control.maxAge != nil || fields.contains("expires")
        return policy.staleAllowance.ifError ?? (wasFresh ? source.staleIfError : 0)
    }

    /// Whether it may answer a request in place of a failure (RFC 9111 §4.2.4, RFC 5861 §4).
    package func mayReplaceError(at now: Int64, for request: CacheRequest<some CacheOrigin>) -> Bool {
        let staleness = policy.freshness.age(at: now) - policy.freshness.lifetime
        // A request that demands validation is not given something stale.
        guard request.isCacheable, !request.demand.isStrict, !needsValidation,
            hasContent || !request.needsBody, !StaleAllowance.mayReplace(status: status)
        else { return false }
        return staleness < staleIfError(request.source) || staleness < 0 && !policy.forbidsStale
    }
}
