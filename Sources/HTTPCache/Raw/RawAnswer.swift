package import HTTPSemantics

/// The response to a raw request, as sent to the client.
package struct RawAnswer: Sendable {
    package var status: Int
    /// End-to-end fields, without `Age` and `Content-Length`.
    package var fields: FieldLines
    package var body: [UInt8]
    /// The part of the body that is sent.
    package var range: Range<Int>
    /// The `Age` in seconds; `nil` to send none.
    package var age: Int64?
    /// The `Content-Length` if it differs from the range's length, as in responses to HEAD; -1 if it is unknown.
    package var contentLength: Int64?
    package var cacheStatus: CacheStatus

    /// Creates the response to a request from the outcome of its exchange.
    init(_ outcome: CacheOutcome, to request: CacheRequest<some CacheOrigin>, at now: Int64) {
        switch outcome.answer {
        case .passed(let response): self.init(response, to: request, outcome.status)
        case .stored(let response):
            self.init(response, to: request, outcome.status, at: now, isValidated: outcome.isValidated)
            for line in outcome.cookies { fields.append(line) }
        }
    }

    /// Creates the response from one that the origin has just sent.
    private init(_ response: FetchedResponse, to request: CacheRequest<some CacheOrigin>, _ cacheStatus: CacheStatus) {
        status = response.status
        var fields = response.fields.endToEnd
        age = fields["age"].flatMap { Int64($0) }
        let length = fields["content-length"].flatMap { Int64($0) }
        fields.remove(["content-length"])
        // A numeric Age is sent separately; a malformed one is forwarded unchanged.
        if age != nil { fields.remove(["age"]) }
        self.fields = request.isRemote ? Self.confined(fields) : fields
        body = if case .bytes(let bytes) = response.content { bytes } else { [] }
        range = 0..<body.count
        if request.isHead || response.status == 304 { contentLength = length ?? (request.isHead ? -1 : nil) }
        self.cacheStatus = cacheStatus
    }

    /// Creates the response from a stored one, applying the request's conditions and range (RFC 9111 §4.3.2).
    ///
    /// - Parameter isValidated: whether the origin has just validated it.
    init(
        _ stored: StoredResponse,
        to request: CacheRequest<some CacheOrigin>,
        _ cacheStatus: CacheStatus,
        at now: Int64,
        isValidated: Bool = false
    ) {
        status = stored.status
        let fields = isValidated ? stored.fields : stored.fieldsWithoutValidation
        self.fields = request.isRemote ? Self.confined(fields) : fields
        body = stored.bytes
        range = 0..<stored.bytes.count
        age = stored.policy.freshness.age(at: now)
        if request.isHead { contentLength = Int64(stored.bytes.count) }
        self.cacheStatus = cacheStatus
        guard stored.status == 200 else { return }
        apply(request.fields, of: stored, at: now, isGet: request.isGet)
        if stored.isPartial, status == 200 { narrow(to: request, in: stored) }
    }

    /// Returns the fields with headers that keep another host's content from acting as this host's.
    ///
    /// Scripts do not run (CSP Level 3 §6.3.3), and the type is not sniffed (Fetch §3.6). The origin's own values are removed.
    private static func confined(_ fields: FieldLines) -> FieldLines {
        var fields = fields
        fields.remove(["x-content-type-options", "content-security-policy"])
        fields.append("X-Content-Type-Options", "nosniff")
        fields.append("Content-Security-Policy", "sandbox")
        return fields
    }

    private mutating func apply(_ conditions: FieldLines, of stored: StoredResponse, at now: Int64, isGet: Bool) {
        let tag = stored.entityTag.flatMap { EntityTag($0) }
        let modified = stored.lastModified.flatMap { HTTPDate($0, now: now) }?.seconds
        let verdict = Preconditions.evaluate(
            ifNoneMatch: conditions["if-none-match"],
            ifModifiedSince: conditions["if-modified-since"],
            entityTag: tag,
            // RFC 9111 §4.3.2: without Last-Modified, compare with Date.
            lastModified: modified ?? stored.fields["date"].flatMap { HTTPDate($0, now: now) }?.seconds,
            now: now
        )
        if verdict == .notModified {
            status = 304
            range = 0..<0
            contentLength = nil
            fields.remove(["content-type", "content-encoding", "content-language", "content-range", "content-md5"])
            return
        }
        guard isGet, !stored.isPartial, let asked = conditions["range"].flatMap({ ByteRange($0) }) else { return }
        if let ifRange = conditions["if-range"],
            !IfRange.holds(ifRange, entityTag: tag, lastModified: modified, now: now)
        {
            return
        }
        narrow(to: asked)
    }

    /// Selects the range from the stored parts; the decision on the request has found the part that holds it.
    private mutating func narrow(to request: CacheRequest<some CacheOrigin>, in stored: StoredResponse) {
        guard let (part, range) = stored.slice(for: request.fields, isGet: request.isGet) else {
            // Never a 200 without the content, should the part be missing after all.
            status = 502
            return
        }
        status = 206
        body = part.bytes
        self.range = range
        let position = part.offset + range.lowerBound..<part.offset + range.upperBound
        fields.append("Content-Range", ByteRange.contentRange(position, of: stored.content.length))
    }

    private mutating func narrow(to asked: ByteRange) {
        switch asked.resolve(length: body.count) {
        case .unsatisfiable:
            status = 416
            range = 0..<0
            fields.append("Content-Range", ByteRange.contentRange(unsatisfiedOf: body.count))
        case .satisfiable(let part):
            status = 206
            range = part
            fields.append("Content-Range", ByteRange.contentRange(part, of: body.count))
        }
    }
}
