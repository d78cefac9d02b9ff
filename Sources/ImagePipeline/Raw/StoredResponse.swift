package import HTTPSemantics

/// A complete response that is kept for other requests (RFC 9111 §3).
package struct StoredResponse: Sendable {
    package let status: Int
    /// The end-to-end fields, without `Age` and without those that are private to whoever asked.
    package private(set) var fields: FieldLines
    package let body: [UInt8]
    /// What it allows.
    package private(set) var policy: ResponsePolicy
    /// Which requests it answers.
    let selection: Selection
    /// Whether the origin has denied it to somebody since: then it is not served stale unasked.
    private(set) var needsValidation = false

    /// Keeps an answer to a request; `nil` where it must not be kept, or never could be used.
    init?(_ answer: RawExchange, to request: RawRequest) {
        let policy = answer.policy(for: request)
        guard policy.isStorable else { return nil }
        let selection = Selection(vary: answer.fields["vary"], request: request.fields)
        guard !selection.isAny else { return nil }
        status = answer.status
        body = answer.body
        self.policy = policy
        self.selection = selection
        fields = Self.kept(answer.fields, policy)
        guard mayBeShared(by: request.source) else { return nil }
        // RFC 9110 §6.6.1: who keeps it says when it came, where its origin has not.
        if !fields.contains("date") {
            fields.append("Date", HTTPDate(clamping: answer.responseTime).description)
        }
        // What is stale at once and cannot be validated would only fill the memory; a failure would also take a better one's place.
        let isUsefulStale =
            hasValidator || staleWhileRevalidate(request.source) > 0 || staleIfError(request.source) > 0
        guard policy.freshness.lifetime > 0 || isUsefulStale && !answer.allowsStale else { return nil }
    }

    /// Takes a response as it was stored.
    init(status: Int, fields: FieldLines, body: [UInt8], freshness: Freshness, selection: Selection) {
        self.status = status
        self.fields = fields
        self.body = body
        self.selection = selection
        policy = ResponsePolicy(storedWith: fields, freshness: freshness)
    }

    private static func kept(_ fields: FieldLines, _ policy: ResponsePolicy) -> FieldLines {
        var kept = fields.endToEnd
        kept.remove(["age", "content-length"])
        if case .fields(let names) = policy.control.private { kept.remove(names) }
        return kept
    }

    /// Whether a source gives it to other clients: with its cookies, if it has any.
    func mayBeShared(by source: SourceRule) -> Bool { source.setCookie == .store || !fields.contains("set-cookie") }

    /// Whether its origin no longer allows that it is kept.
    var isWithdrawn: Bool { policy.control.noStore || policy.control.private == .whole }

    /// `ETag`.
    var entityTag: String? { fields["etag"] }
    /// `Last-Modified`.
    var lastModified: String? { fields["last-modified"] }
    /// Whether the origin can say whether it is still right.
    var hasValidator: Bool { entityTag != nil || lastModified != nil }

    /// The fields that may be sent without validation (RFC 9111 §5.2.2.4).
    var fieldsWithoutValidation: FieldLines {
        guard case .fields(let names) = policy.control.noCache else { return fields }
        var allowed = fields
        allowed.remove(names)
        return allowed
    }

    /// Bytes that it fills.
    var cost: Int { body.count + fields.byteCount + 512 }

    /// When the origin was last heard about it.
    var confirmedAt: Int64 { policy.freshness.responseTime }
    /// The origin's marks for purging.
    var tags: [String] {
        OriginTags.parse(["cache-tag", "surrogate-key", "xkey"].compactMap { fields[$0] }.joined(separator: ","))
    }

    /// When it was made, for choosing the newest of several.
    var date: Int64 { policy.freshness.bornAt }

    /// Takes over what a 304, or the answer to HEAD, says of it (RFC 9111 §3.2, §4.3.4).
    ///
    /// `policy.isStorable` then says whether it may be kept so.
    mutating func update(with answer: RawExchange, for request: RawRequest) {
        var news = answer.fields.endToEnd
        // They tell of the content, which stays as it was stored.
        news.remove(["age", "content-length", "content-encoding", "content-range"])
        if request.source.setCookie == .refuse { news.remove(["set-cookie"]) }
        // Without a date of its own it was made when it came (RFC 9110 §6.6.1): the old one would age the new.
        if !news.contains("date") { news.append("Date", HTTPDate(clamping: answer.responseTime).description) }
        var merged = fields
        merged.replace(with: news)
        var judged = merged
        if let age = answer.fields["age"] { judged.append("Age", age) }
        policy = ResponsePolicy(
            request.asGet.policy,
            status: status,
            fields: judged,
            requestTime: answer.requestTime,
            responseTime: answer.responseTime
        )
        fields = Self.kept(merged, policy)
        needsValidation = false
    }

    /// Not to be served stale before the origin has confirmed it.
    mutating func requireValidation() { needsValidation = true }

    /// No longer fresh from now on.
    mutating func expire() {
        policy = policy.expired
    }

    /// No longer fresh from a second of the wall clock on, unless it is stale already.
    mutating func expire(at now: Int64) {
        policy = policy.expired(at: now)
    }
}
