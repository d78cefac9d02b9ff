/// What the cache knows of an object that was derived from a stored response, such as a picture made by a plan.
package struct VariantRecord: Hashable, Sendable {
    /// The hash of the original's key, canonical plan and bucket.
    package var key: CacheKey
    /// The key of the response that it was derived from.
    package var origin: CacheKey
    /// The digest of that response's body; another body makes the variant void.
    package var originDigest: CacheKey
    /// The plan's canonical text and bucket: a label for purging and for operators.
    package var plan: String
    /// Names of the presets that the first request used: labels for purging.
    package var presets: [String]
    /// Bytes.
    package var length: Int
    /// SHA-256 of the bytes, from which the strong entity tag is made (RFC 9110 §8.8.3).
    package var digest: CacheKey
    /// The other responses that it was derived from, in the plan's order.
    package var ingredients: [Ingredient] = []
    /// What the record's maker knows of the bytes, as tagged fields; their values are opaque to the cache.
    package var metadata: [UInt8]
    /// Fields that a newer release has written; they are kept when the record is written again.
    var unknown = TaggedFields()

    /// Another stored response, and the body of it that the variant was made with.
    package struct Ingredient: Hashable, Sendable {
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
