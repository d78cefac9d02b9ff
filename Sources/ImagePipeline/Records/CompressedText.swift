import HTTPCache
import HTTPSemantics
import LinuxSystem

/// The gzip form of SVG and JSON (RFC 9110 §8.4.1.3), for clients that accept it.
///
/// Made once with the entity, on the thread that makes it, so that a hit only selects it. It is not stored on disk.
struct CompressedText {
    let bytes: [UInt8]
    /// The description of the entity, with the coding and its own length and digest.
    let description: EntityDescription

    /// Bytes below which the coding saves no packet.
    private static let smallest = 256
    private static let mediaTypes: Set = ["image/svg+xml", "application/json"]

    /// Compresses a body in memory.
    ///
    /// - Returns: `nil` for other media types, for content that is coded already, short, or that its origin forbids to transform
    ///   (RFC 9111 §5.2.2.6), and if the result is not smaller.
    init?(of body: Entity.Body, _ description: EntityDescription) {
        guard case .memory(let content) = body, content.count >= Self.smallest, description.contentCoding == nil,
            Self.mediaTypes.contains(description.mediaType),
            description.cacheControl.map({ CacheControl($0).noTransform }) != true,
            let coded = GzipCompression.compress(content.span), coded.count < content.count
        else { return nil }
        bytes = coded
        var description = description
        description.contentCoding = "gzip"
        description.variesByCoding = true
        description.length = coded.count
        description.digest = CacheKey(hashing: coded)
        self.description = description
    }
}
