import HTTPSemantics

/// What a flight, or something that is kept, is about: for purging.
package struct FlightSubject: Hashable, Sendable {
    /// What only an answer of the origin tells.
    struct Known: Hashable, Sendable {
        var tags: [String]
        /// When the origin was last heard, seconds of the wall clock.
        var confirmedAt: Int64
    }

    /// The key of the original that it brings or uses.
    package var origin: CacheKey
    /// The source's name.
    package var source: String
    /// The upstream URL in its normal form.
    var url: String
    /// `nil` while it may still turn out to be anything.
    var record: Known?
    /// The plan of the variant that it makes; `nil` for an original.
    var plan: String?
    var presets: [String] = []
    /// The other originals that it is made with.
    var ingredients: [FlightSubject] = []

    /// Names an original.
    package init(origin: CacheKey, source: String, url: String = "") {
        self.origin = origin
        self.source = source
        self.url = url
    }

    init(_ request: OriginRequest) {
        self.init(origin: request.key, source: request.source.name, url: request.identity)
    }

    init(_ request: VariantRequest) {
        self.init(request.origin)
        plan = request.plan
        presets = request.presets
        ingredients = request.ingredients.map { FlightSubject($0.origin) }
    }

    init(_ record: OriginRecord) {
        self.init(origin: record.key, source: record.source, url: record.url)
        self.record = Known(tags: record.tags, confirmedAt: record.freshness.responseTime)
    }

    init(_ variant: VariantRecord, of origin: OriginRecord) {
        self.init(origin)
        plan = variant.plan
        presets = variant.presets
    }

    /// The same now that an answer of the origin tells more.
    func known(tags: [String], confirmedAt: Int64) -> FlightSubject {
        var subject = self
        subject.record = Known(tags: tags, confirmedAt: confirmedAt)
        return subject
    }

    /// The same now that the original's record is there.
    func known(_ record: OriginRecord) -> FlightSubject {
        var subject = FlightSubject(record)
        subject.plan = plan
        subject.presets = presets
        subject.ingredients = ingredients
        return subject
    }
}
