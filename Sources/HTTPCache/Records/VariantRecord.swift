/// The metadata of an object derived from a stored response, such as an image transformed by a plan.
package struct VariantRecord: Hashable, Sendable {
    /// The hash of the original's key, the canonical plan and the bucket.
    package var key: CacheKey
    /// The key of the original response.
    package var origin: CacheKey
    /// The digest of the original's body; if the body changes, the variant is invalid.
    package var originDigest: CacheKey
    /// The plan's canonical text and bucket: a label for purging and for operators.
    package var plan: String
    /// Names of the presets that the first request used: labels for purging.
    package var presets: [String]
    /// The length in bytes.
    package var length: Int
    /// SHA-256 of the bytes; the strong entity tag is derived from it (RFC 9110 §8.8.3).
    package var digest: CacheKey
    /// The other stored responses that the variant is derived from, in the plan's order.
    package var auxiliaries: [Auxiliary] = []
    /// The hash of what the key's request comes to with this original; equal for requests with equal bytes, `nil` if unknown.
    package var resolved: CacheKey?
    /// Metadata about the bytes as tagged fields, opaque to the cache.
    package var metadata: [UInt8]
    /// Fields written by a newer release; preserved when the record is rewritten.
    var unknown = TaggedFields()

    /// A reference to another stored response and the body that the variant was made with.
    package struct Auxiliary: Hashable, Sendable {
        package var key: CacheKey
        package var digest: CacheKey

        /// Creates a reference.
        package init(key: CacheKey, digest: CacheKey) {
            self.key = key
            self.digest = digest
        }
    }

    /// Creates a record.
    package init(
        key: CacheKey,
        origin: CacheKey,
        originDigest: CacheKey,
        plan: String,
        presets: [String] = [],
        length: Int,
        digest: CacheKey,
        metadata: [UInt8]
    ) {
        self.key = key
        self.origin = origin
        self.originDigest = originDigest
        self.plan = plan
        self.presets = presets
        self.length = length
        self.digest = digest
        self.metadata = metadata
    }
}
