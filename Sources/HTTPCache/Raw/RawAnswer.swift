package import HTTPSemantics

/// An answer to a raw request, as the client is to get it.
package struct RawAnswer: Sendable {
    package var status: Int
    /// End-to-end fields, without `Age` and `Content-Length`.
    package var fields: FieldLines
    package var body: [UInt8]
    /// Which bytes of the body are sent.
    package var range: Range<Int>
    /// Seconds for `Age`; `nil` where there is none.
    package var age: Int64?
    /// `Content-Length` where it is not the range's: answers to HEAD; -1 where it is not known.
    package var contentLength: Int64?
    package var cacheStatus: CacheStatus

    /// An exchange's outcome as the answer to its request.
    init(_ outcome: CacheOutcome, to request: CacheRequest<some CacheOrigin>, at now: Int64) {
        switch outcome.answer {
        case .passed(let response): self.init(response, to: request, outcome.status)
        case .stored(let response):
            self.init(response, to: request, outcome.status, at: now, isValidated: outcome.isValidated)
            for line in outcome.cookies { fields.append(line) }
        }
    }

    /// A response as the origin has just sent it.
    private init(_ response: FetchedResponse, to request: CacheRequest<some CacheOrigin>, _ cacheStatus: CacheStatus) {
        status = response.status
        var fields = response.fields.endToEnd
        age = fields["age"].flatMap { Int64($0) }
        let length = fields["content-length"].flatMap { Int64($0) }
        fields.remove(["content-length"])
        // Passed on as it came, unless it is a number that is written beside the other fields.
        if age != nil { fields.remove(["age"]) }
        self.fields = request.isRemote ? Self.confined(fields) : fields
        body = if case .bytes(let bytes) = response.content { bytes } else { [] }
        range = 0..<body.count
        if request.isHead || response.status == 304 { contentLength = length ?? (request.isHead ? -1 : nil) }
        self.cacheStatus = cacheStatus
    }

    /// A stored response, conditions and range of the request applied (RFC 9111 §4.3.2).
    ///
    /// - Parameter isValidated: whether the origin has just confirmed it.
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
    }

    /// The fields, with those that keep another host's content from acting as this one's.
    ///
    /// No script in it runs (CSP Level 3 §6.3.3), and no type is guessed (Fetch §3.6); the origin's own words on that go.
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
            // RFC 9111 §4.3.2: without Last-Modified, when it was made.
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
        guard isGet, let asked = conditions["range"].flatMap({ ByteRange($0) }) else { return }
        if let ifRange = conditions["if-range"],
            !IfRange.holds(ifRange, entityTag: tag, lastModified: modified, now: now)
        {
            return
        }
        narrow(to: asked)
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
