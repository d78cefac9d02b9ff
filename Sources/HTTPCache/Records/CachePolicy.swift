/// The cache tiers for a source's variants and originals.
package struct CachePolicy: Hashable, Sendable {
    /// The tiers for variants.
    package var variants: CacheTiers
    /// The tiers for originals: on disk for making variants; in memory, within its size limit, for responses without a plan.
    package var originals: CacheTiers

    /// Creates a policy with the same tiers for both.
    package init(_ tiers: CacheTiers) {
        self.init(variants: tiers, originals: tiers)
    }

    /// Creates a policy with separate tiers.
    package init(variants: CacheTiers, originals: CacheTiers) {
        self.variants = variants
        self.originals = originals
    }

    /// Whether the disk stores the original's record, for its body or its variants.
    package var keepsOriginalRecord: Bool { originals.keepOnDisk || variants.keepOnDisk }

    /// Whether nothing is stored.
    package var keepsNothing: Bool { variants == .none && originals == .none }

    /// Whether this policy includes all tiers of another.
    package func contains(_ other: CachePolicy) -> Bool {
        variants.contains(other.variants) && originals.contains(other.originals)
    }
}
