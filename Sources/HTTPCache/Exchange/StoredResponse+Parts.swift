package import HTTPSemantics

/// Partial responses, stored as incomplete responses with status 200 (RFC 9111 §3.3).
extension StoredResponse {
    /// Creates the stored form of a 206, which is complete if its part is the whole; `nil` if the part is over the bounds.
    init?(
        _ received: ReceivedPart,
        in response: FetchedResponse,
        to request: CacheRequest<some CacheOrigin>,
        policy: ResponsePolicy
    ) {
        guard let parts = StoredParts([received.part], of: received.length) else { return nil }
        self.init(response.asWhole, to: request, policy: policy)
        content = parts.content
    }

    /// Whether only some of the content is known.
    package var isPartial: Bool { if case .parts = content { true } else { false } }

    /// The validator by which parts are combined; `nil` if there is none.
    package var strongValidator: StrongValidator? { StrongValidator(fields, now: confirmedAt) }

    /// Whether the content suffices for a request; parts answer only a range within one of them (RFC 9111 §3.3).
    package func canAnswer(_ request: CacheRequest<some CacheOrigin>) -> Bool {
        switch content {
        case .bytes, .file, .section, .growing: true
        case .evicted: !request.needsBody
        case .parts: slice(for: request.fields, isGet: request.isGet) != nil
        }
    }

    /// The part that holds the range of a request, and the range's position in it; `nil` if no part does.
    func slice(for fields: FieldLines, isGet: Bool) -> (part: StoredParts.Part, range: Range<Int>)? {
        guard isGet, case .parts(let parts) = content, let asked = fields["range"].flatMap({ ByteRange($0) }),
            case .satisfiable(let range) = asked.resolve(length: parts.length),
            let part = parts.part(holding: range)
        else { return nil }
        // If the condition fails, the request is for the whole.
        if let ifRange = fields["if-range"],
            strongValidator?.isNamed(by: ifRange, now: policy.freshness.responseTime) != true
        {
            return nil
        }
        return (part, range.lowerBound - part.offset..<range.upperBound - part.offset)
    }

    /// Returns this partial response with the parts and the fields of a newer one (RFC 9111 §3.4).
    ///
    /// - Returns: `nil` if they must not be combined: their strong validators, lengths or common bytes differ.
    func combined(with new: StoredResponse) -> StoredResponse? {
        guard case .parts(let old) = content, case .parts(let parts) = new.content, vary == new.vary,
            let validator = strongValidator, validator == new.strongValidator,
            fields["content-encoding"] == new.fields["content-encoding"], let merged = old.merging(parts)
        else { return nil }
        var fields = fields
        fields.replace(with: new.fields)
        // A 206 repeats the freshness fields of the 200 (RFC 9110 §15.3.7); without them, those of the older part apply.
        let isStated = new.policy.statesLifetime || !policy.statesLifetime
        let freshness = isStated ? new.policy.freshness : policy.freshness
        var whole = StoredResponse(
            status: 200,
            fields: fields,
            content: merged.content,
            freshness: freshness,
            vary: vary
        )
        // Equal strong validators confirm the older part.
        whole.stamp = new.stamp
        return whole
    }

    /// Returns the complete response, with the missing bytes and the fields of a 206 (RFC 9111 §3.4).
    ///
    /// - Returns: `nil` if they must not be combined.
    func completed(
        by response: FetchedResponse,
        for request: CacheRequest<some CacheOrigin>,
        bounds: ResponsePolicy.Bounds
    ) -> StoredResponse? {
        guard case .parts(let parts) = content, let asked = ByteRange(parts.missingField),
            let received = ReceivedPart(response, asked: asked), received.length == parts.length,
            received.validator == strongValidator,
            response.fields["content-encoding"].map({ $0 == fields["content-encoding"] }) ?? true,
            let bytes = parts.completed(by: received.part)
        else { return nil }
        var whole = self
        whole.update(with: response, for: request, bounds: bounds)
        whole.content = .bytes(bytes)
        return whole
    }
}

extension StoredParts {
    /// The content that consists of the parts.
    fileprivate var content: StoredResponse.Content { whole.map { .bytes($0) } ?? .parts(self) }

    /// The value of a `Range` field that requests all missing bytes.
    var missingField: String {
        let end = missing.upperBound == length ? "" : String(missing.upperBound - 1)
        return "bytes=\(missing.lowerBound)-\(end)"
    }
}

extension FetchedResponse {
    /// A 206 as the incomplete 200 as which it is stored.
    var asWhole: FetchedResponse {
        var response = self
        response.status = 200
        response.fields.remove(["content-range"])
        return response
    }
}

extension CacheRequest {
    /// Whether the missing bytes of a representation may be fetched to answer the request.
    ///
    /// - Parameter length: the length of the representation in bytes.
    func mayComplete(length: Int) -> Bool {
        mayWiden ? length <= CacheExchange<Origin>.widest : mayCollapse && length <= StoredParts.longestCompleted
    }

    /// Returns the request for the missing bytes of a stored partial response; without its strong validator, the whole is sent
    /// (RFC 9110 §13.1.5).
    func completing(_ stored: StoredResponse) -> CacheRequest {
        var request = unconditional
        guard case .parts(let parts) = stored.content,
            let validator = stored.fields.line("etag") ?? stored.fields.line("last-modified")
        else { return request }
        request.append("Range", parts.missingField)
        request.append("If-Range", validator)
        return request
    }
}
