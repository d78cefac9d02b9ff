import HTTPCache

/// An entity's part in bytes that several entities in memory may share (`BodyTable`).
struct BodyLease: Sendable {
    /// Identifies the bytes.
    struct Content: Hashable, Sendable {
        var scope: BodyScope
        var digest: CacheKey
        var length: Int
    }

    let content: Content
    /// The key under which the entity is cached.
    let key: CacheKey
    let number: UInt64
    /// The bytes, shared with the other entities; in memory or a memory file.
    let body: Entity.Body
}

/// What is known of a variant besides its bytes, so that another request with the same result can use it.
final class VariantFacts: Sendable {
    /// The resolved key (`ResolvedVariant`).
    let resolved: CacheKey
    /// The encoded `VariantMetadata`.
    let metadata: [UInt8]

    /// Whether it was encoded again with more effort, or that made it no smaller.
    var isCompact: Bool { VariantMetadata(encoded: metadata)?.isCompact == true }

    init(resolved: CacheKey, metadata: [UInt8]) {
        self.resolved = resolved
        self.metadata = metadata
    }

    /// Creates the facts of a record; `nil` for one that other requests must not use.
    convenience init?(_ record: VariantRecord) {
        guard let resolved = record.resolved, !record.isStandIn else { return nil }
        self.init(resolved: resolved, metadata: record.metadata)
    }
}
