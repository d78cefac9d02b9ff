import HTTPKit
import ImagePipeline

/// The content codings that a client accepts (RFC 9110 §12.5.3).
enum AcceptEncoding {
    /// Returns the form of an entity for a client: compressed if it has such a form and the client names gzip with a weight over 0.
    ///
    /// `*` does not select gzip, since an uncompressed response is always acceptable.
    @inline(__always)
    static func form(of entity: Entity, for head: borrowing RequestHead, _ bytes: Span<UInt8>) -> Entity {
        guard let compressed = entity.compressed, namesGzip(head, bytes) else { return entity }
        return compressed
    }

    /// Whether a request head names gzip with a weight over 0.
    static func namesGzip(_ head: borrowing RequestHead, _ bytes: Span<UInt8>) -> Bool {
        guard head.has(.acceptEncoding) else { return false }
        var isNamed = false
        head.forEach(.acceptEncoding) { value in
            isNamed = isNamed || namesGzip(String(decoding: bytes.copy(value), as: UTF8.self))
        }
        return isNamed
    }

    /// Whether a value of `Accept-Encoding` names gzip, also by its old name, with a weight over 0.
    private static func namesGzip(_ text: String) -> Bool {
        text.split(separator: ",").contains { element in
            let parts = element.split(separator: ";", omittingEmptySubsequences: false)
                .map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
            guard let name = parts.first, name == "gzip" || name == "x-gzip" else { return false }
            return parts.dropFirst().allSatisfy { part in
                !part.hasPrefix("q=") || Double(part.dropFirst(2)).map { $0 > 0 && $0 <= 1 } == true
            }
        }
    }
}
