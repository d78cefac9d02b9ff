package import ImagePlan

/// What is known of a variant: a picture made from an original by a plan.
package struct VariantRecord: Hashable, Sendable {
    /// The hash of the original's key, canonical plan and bucket.
    package var key: CacheKey
    /// The original that it was made from.
    package var origin: CacheKey
    /// The digest of the original's body that it was made from.
    package var originDigest: CacheKey
    /// The plan's canonical text and bucket, for purging and for people.
    package var plan: String
    /// Names of the presets by which it was asked for when it was made.
    package var presets: [String]
    /// The encoded format.
    package var format: ResultFormat
    /// Pixels; of words, those of the picture that they are about.
    package var width: Int
    /// Pixels of one frame.
    package var height: Int
    /// Frames, 1 for a still.
    package var frames: Int
    /// Bytes.
    package var length: Int
    /// SHA-256 of the bytes, from which the strong entity tag is made (RFC 9110 §8.8.3).
    package var digest: CacheKey
    /// Whether it is WebP that is served until the AVIF is made.
    package var isStandIn = false
    /// The other originals that it was made with, in the plan's order.
    package var ingredients: [Ingredient] = []

    /// Another original, and its body that the variant was made with.
    package struct Ingredient: Hashable, Sendable {
        package var key: CacheKey
        package var digest: CacheKey

        /// Names one.
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
        format: ResultFormat,
        width: Int,
        height: Int,
        frames: Int,
        length: Int,
        digest: CacheKey,
        isStandIn: Bool = false
    ) {
        self.key = key
        self.origin = origin
        self.originDigest = originDigest
        self.plan = plan
        self.presets = presets
        self.format = format
        self.width = width
        self.height = height
        self.frames = frames
        self.length = length
        self.digest = digest
        self.isStandIn = isStandIn
    }
}
