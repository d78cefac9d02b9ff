import HTTPSemantics

/// What a flight, or something that is kept, is about: for purging.
package struct PurgeSubject: Hashable, Sendable {
    /// What only an answer of the origin tells.
    package struct Known: Hashable, Sendable {
        package var tags: [String]
        /// When the origin was last heard, seconds of the wall clock.
        package var confirmedAt: Int64
    }

    /// The key of the original that it brings or uses.
    package var origin: CacheKey
    /// The source's name.
    package var source: String
    /// The upstream URL in its normal form.
    package var url: String
    /// `nil` while it may still turn out to be anything.
    package var record: Known?
    /// The plan of the variant that it makes; `nil` for an original.
    package var plan: String?
    package var presets: [String] = []
    /// The other originals that it is made with.
    package var ingredients: [PurgeSubject] = []

    /// Names an original.
    package init(origin: CacheKey, source: String, url: String = "") {
        self.origin = origin
        self.source = source
        self.url = url
    }

    /// Names the original of a record.
    package init(_ record: OriginRecord) {
        self.init(origin: record.key, source: record.source, url: record.url)
        self.record = Known(tags: record.tags, confirmedAt: record.freshness.responseTime)
    }

    /// Names a variant.
    package init(_ variant: VariantRecord, of origin: OriginRecord) {
        self.init(origin)
        plan = variant.plan
        presets = variant.presets
    }

    /// The same now that an answer of the origin tells more.
    package func known(tags: [String], confirmedAt: Int64) -> PurgeSubject {
        var subject = self
        subject.record = Known(tags: tags, confirmedAt: confirmedAt)
        return subject
    }

    /// The same now that the original's record is there.
    package func known(_ record: OriginRecord) -> PurgeSubject {
        var subject = PurgeSubject(record)
        subject.plan = plan
        subject.presets = presets
        subject.ingredients = ingredients
        return subject
    }
}
