import HTTPKit
import HTTPSemantics

/// The header fields that make a request conditional or partial, copied out of the read buffer.
///
/// Most requests have none of them: then nothing is copied.
struct RequestConditions: Hashable, Sendable {
    var ifMatch: String?
    var ifUnmodifiedSince: String?
    var ifNoneMatch: String?
    var ifModifiedSince: String?
    var range: String?
    var ifRange: String?

    /// Copies what a head has of them; `nil` where it has nothing.
    init?(_ head: borrowing RequestHead, bytes: Span<UInt8>) {
        guard
            head.has(.ifNoneMatch) || head.has(.ifModifiedSince) || head.has(.range) || head.has(.ifMatch)
                || head.has(.ifUnmodifiedSince)
        else { return nil }
        ifMatch = Self.text(.ifMatch, head, bytes)
        ifUnmodifiedSince = Self.text(.ifUnmodifiedSince, head, bytes)
        ifNoneMatch = Self.text(.ifNoneMatch, head, bytes)
        ifModifiedSince = Self.text(.ifModifiedSince, head, bytes)
        // RFC 9110 §14.2: a range means something to GET only.
        guard head.method == .get else { return }
        range = Self.text(.range, head, bytes)
        ifRange = Self.text(.ifRange, head, bytes)
    }

    /// A field's lines as one value (RFC 9110 §5.3).
    private static func text(_ field: KnownField, _ head: borrowing RequestHead, _ bytes: Span<UInt8>) -> String? {
        var joined: [UInt8]?
        head.forEach(field) { value in
            var line = joined.map { $0 + Array(", ".utf8) } ?? []
            for index in value { line.append(bytes[index]) }
            joined = line
        }
        return joined.map { String(decoding: $0, as: UTF8.self) }
    }
}
