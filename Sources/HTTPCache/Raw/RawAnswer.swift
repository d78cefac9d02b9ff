package import HTTPSemantics
package import LinuxSystem

/// The response to a raw request, as sent to the client.
package struct RawAnswer: Sendable {
    package var status: Int
    /// End-to-end fields, without `Age` and `Content-Length`.
    package var fields: FieldLines
    package var body: Body
    /// The part of the body that is sent; `nil` for all of a body whose length is unknown.
    package var range: Range<Int>?
    /// The `Age` in seconds; `nil` to send none.
    package var age: Int64?
    /// The `Content-Length` if it differs from the range's length, as in responses to HEAD; -1 if it is unknown.
    package var contentLength: Int64?
    package var cacheStatus: CacheStatus

    /// The location of the content.
    package enum Body: Sendable {
        case bytes([UInt8])
        case file(SharedDescriptor)
        /// Content that is still arriving.
        case growing(GrowingFile.Reader)
    }

    /// Creates the response to a request from the outcome of its exchange.
    init(_ outcome: CacheOutcome, to request: CacheRequest<some CacheOrigin>, at now: Int64) {
        switch (outcome.answer, outcome.received) {
        case (.passed(let response), _), (.stored, let response?): self.init(response, to: request, outcome.status)
        case (.stored(let response), nil):
            self.init(response, to: request, outcome.status, at: now, isValidated: outcome.isValidated)
            for line in outcome.cookies { fields.append(line) }
        }
    }

    /// Creates the response from one that the origin has just sent.
    private init(_ response: FetchedResponse, to request: CacheRequest<some CacheOrigin>, _ cacheStatus: CacheStatus) {
        status = response.status
        var fields = response.fields.endToEnd
        age = fields["age"].flatMap { Int64($0) }
        let stated = fields["content-length"].flatMap { Int64($0) }
        fields.remove(["content-length"])
        // A numeric Age is sent separately; a malformed one is forwarded unchanged.
        if age != nil { fields.remove(["age"]) }
        self.fields = request.isRemote ? Self.confined(fields) : fields
        let length: Int?
        (body, length) = Self.body(response.storedContent)
        range = length.map { 0..<$0 }
        if request.isHead || response.status == 304 { contentLength = stated ?? (request.isHead ? -1 : nil) }
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
        let length: Int?
        (body, length) = Self.body(stored.content)
        range = length.map { 0..<$0 }
        age = stored.policy.freshness.age(at: now)
        if request.isHead { contentLength = stored.content.length.map(Int64.init) ?? -1 }
        self.cacheStatus = cacheStatus
        guard stored.status == 200 else { return }
        apply(request.fields, of: stored, at: now, isGet: request.isGet)
        if stored.isPartial, status == 200 { narrow(to: request, in: stored) }
    }

    /// Returns where the content is, and its length if that is known.
    private static func body(_ content: StoredResponse.Content) -> (Body, Int?) {
        switch content {
        case .bytes(let bytes): (.bytes(bytes), bytes.count)
        case .file(let body): (.file(body.file), body.length)
        case .growing(let file):
            // Without a reader the content has been given up, and the response is cut off.
            file.reader().map { (.growing($0), file.expected) } ?? (.bytes([]), file.expected)
        case .parts, .evicted: (.bytes([]), 0)
        }
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
        // A range of content of unknown length is ignored (RFC 9110 §14.2).
        if let length = stored.content.length { narrow(to: asked, of: length) }
    }

    /// Selects the range from the stored parts; the decision on the request has found the part that holds it.
    private mutating func narrow(to request: CacheRequest<some CacheOrigin>, in stored: StoredResponse) {
        guard let (part, range) = stored.slice(for: request.fields, isGet: request.isGet) else {
            // Never a 200 without the content, should the part be missing after all.
            status = 502
            return
        }
        status = 206
        body = .bytes(part.bytes)
        self.range = range
        let position = part.offset + range.lowerBound..<part.offset + range.upperBound
        fields.append("Content-Range", ByteRange.contentRange(position, of: stored.content.length ?? 0))
    }

    private mutating func narrow(to asked: ByteRange, of length: Int) {
        switch asked.resolve(length: length) {
        case .unsatisfiable:
            status = 416
            range = 0..<0
            fields.append("Content-Range", ByteRange.contentRange(unsatisfiedOf: length))
        case .satisfiable(let part):
            status = 206
            range = part
            fields.append("Content-Range", ByteRange.contentRange(part, of: length))
        }
    }
}
