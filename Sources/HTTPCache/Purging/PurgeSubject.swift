import HTTPSemantics

/// The properties of a flight or stored entry that purges match against.
package struct PurgeSubject: Hashable, Sendable {
    /// Properties that are known only from the origin's response.
    package struct Known: Hashable, Sendable {
        package var tags: [String]
        /// When the origin last sent or validated the response, in seconds of the wall clock.
        package var confirmedAt: Int64
        /// When the response becomes stale, in seconds of the wall clock.
        package var staleAt: Int64
    }

    /// The key of the original that the subject is, or is derived from.
    package var origin: CacheKey
    /// The source's name.
    package var source: String
    /// The normalised upstream URL.
    package var url: String
    /// The properties from the origin's response; `nil` while it has not been received.
    package var record: Known?
    /// The variant's plan; `nil` for an original.
    package var plan: String?
    package var presets: [String] = []
    /// The other originals that a variant is made with.
    package var auxiliaries: [PurgeSubject] = []

    /// Describes an original.
    package init(origin: CacheKey, source: String, url: String = "") {
        self.origin = origin
        self.source = source
        self.url = url
    }

    /// Describes the original of a record.
    package init(_ record: OriginRecord) {
        self.init(origin: record.key, source: record.source, url: record.url)
        self.record = Known(
            tags: record.tags,
            confirmedAt: record.freshness.responseTime,
            staleAt: record.freshness.staleAt
        )
    }

    /// Describes a variant.
    package init(_ variant: VariantRecord, of origin: OriginRecord) {
        self.init(origin)
        plan = variant.plan
        presets = variant.presets
    }

    /// Returns the subject with the properties from the origin's response.
    package func known(tags: [String], confirmedAt: Int64, staleAt: Int64) -> PurgeSubject {
        var subject = self
        subject.record = Known(tags: tags, confirmedAt: confirmedAt, staleAt: staleAt)
        return subject
    }

    /// Returns the subject with the properties of the original's record.
    package func known(_ record: OriginRecord) -> PurgeSubject {
        var subject = PurgeSubject(record)
        subject.plan = plan
        subject.presets = presets
        subject.auxiliaries = auxiliaries
        return subject
    }
}
