/// What a flight is about, for purging.
package struct FlightSubject: Hashable, Sendable {
    /// The key of the original that it brings or uses.
    package var origin: CacheKey
    /// The source's name.
    package var source: String

    /// Names an original.
    package init(origin: CacheKey, source: String) {
        self.origin = origin
        self.source = source
    }

    init(_ request: OriginRequest) {
        self.init(origin: request.key, source: request.source.name)
    }
}
