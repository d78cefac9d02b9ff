/// Which tiers keep what comes of a source.
package struct CachePolicy: Hashable, Sendable {
    /// Of results.
    package var variants: CacheTiers
    /// Of originals: on disk for making results, and in memory, up to the size of what is kept there, for being served bare.
    package var originals: CacheTiers

    /// The same tiers for both.
    package init(_ tiers: CacheTiers) {
        self.init(variants: tiers, originals: tiers)
    }

    /// Tiers for each.
    package init(variants: CacheTiers, originals: CacheTiers) {
        self.variants = variants
        self.originals = originals
    }

    /// Whether anything on disk speaks of an original: its bytes, or a result, beside which its record is.
    package var keepsOriginalRecord: Bool { originals.keepOnDisk || variants.keepOnDisk }

    /// Whether no tier keeps anything.
    package var keepsNothing: Bool { variants == .none && originals == .none }

    /// Whether every tier of another policy is one of this, too.
    package func contains(_ other: CachePolicy) -> Bool {
        variants.contains(other.variants) && originals.contains(other.originals)
    }
}
