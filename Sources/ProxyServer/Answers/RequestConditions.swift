import HTTPKit
import HTTPSemantics

/// The fields of a conditional or range request, copied from the read buffer.
///
/// Nothing is copied for the majority of requests, which have none of them.
struct RequestConditions: Hashable, Sendable {
    var ifMatch: String?
    var ifUnmodifiedSince: String?
    var ifNoneMatch: String?
    var ifModifiedSince: String?
    var range: String?
    var ifRange: String?

    /// Whether a request head has such fields.
    @inline(__always)
    static func areIn(_ head: borrowing RequestHead) -> Bool {
        head.has(.ifNoneMatch) || head.has(.ifModifiedSince) || head.has(.range) || head.has(.ifMatch)
            || head.has(.ifUnmodifiedSince)
    }

    /// Copies the fields of a request head; `nil` if there are none.
    init?(_ head: borrowing RequestHead, bytes: Span<UInt8>) {
        guard Self.areIn(head) else { return nil }
        ifMatch = Self.text(.ifMatch, head, bytes)
        ifUnmodifiedSince = Self.text(.ifUnmodifiedSince, head, bytes)
        ifNoneMatch = Self.text(.ifNoneMatch, head, bytes)
        ifModifiedSince = Self.text(.ifModifiedSince, head, bytes)
        // RFC 9110 §14.2: ranges are only defined for GET.
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
