import HTTPSemantics

/// The part that an origin sent in a 206 to a range request, after validation of its fields (RFC 9110 §15.3.7).
struct ReceivedPart: Sendable {
    let part: StoredParts.Part
    /// The length of the complete representation in bytes.
    let length: Int
    let validator: StrongValidator

    /// Interprets a response.
    ///
    /// Returns `nil` unless the response is a 206 with one part, with a valid `Content-Range` within the requested range,
    /// with as many bytes as that states, and with a strong validator.
    ///
    /// - Parameter asked: the range that the request to the origin had.
    init?(_ response: FetchedResponse, asked: ByteRange) {
        // Several parts have Content-Type multipart/byteranges, and no Content-Range (RFC 9110 §15.3.7.2).
        guard response.status == 206, case .bytes(let bytes) = response.content,
            let position = response.fields["content-range"].flatMap({ ContentRange($0) }),
            bytes.count == position.range.count,
            case .satisfiable(let range) = asked.resolve(length: position.length),
            range.clamped(to: position.range) == position.range,
            let validator = StrongValidator(response.fieldsWithDate, now: response.responseTime)
        else { return nil }
        part = StoredParts.Part(offset: position.range.lowerBound, bytes: bytes)
        length = position.length
        self.validator = validator
    }
}

extension FetchedResponse {
    /// The fields, with the time of receipt as `Date` if the origin sent none (RFC 9110 §6.6.1).
    fileprivate var fieldsWithDate: FieldLines {
        var fields = fields
        if !fields.contains("date") { fields.append("Date", HTTPDate(clamping: responseTime).description) }
        return fields
    }
}
