package import HTTPSemantics

/// What the cache knows of a stored response: where it came from, the fields that are kept of it, and for how long it is fresh.
///
/// A record outlives the body for as long as something derived from it needs its freshness (RFC 9111 §4.2: a variant is as fresh as
/// its original).
package struct OriginRecord: Hashable, Sendable {
    /// What is stored under a key; the numbers are those on disk.
    package enum Kind: Int64, Hashable, Sendable {
        case picture = 0
        /// The responses of one URL of a raw source; the body is an encoded `RawEntry`.
        case raw = 1
    }

    /// The hash of source, normalised URL and forwarded parameters.
    package var key: CacheKey
    /// The configured source's name; `fetch` for remote URLs.
    package var source: String
    /// The upstream URL of the first request, normalised; for a folder the file's path below the source's root.
    package var url: String
    /// SHA-256 of the body; what was derived from another body is void.
    package var digest: CacheKey
    /// Bytes of the body.
    package var length: Int
    /// The response's status code.
    package var status: Int
    /// The end-to-end field lines that are kept, as the origin sent them.
    package var fields: FieldLines {
        get { lines }
        set {
            lines = newValue
            parseFields()
        }
    }
    /// What the response allows a shared cache to do; parsed once, when the record is made or read.
    package internal(set) var policy: ResponsePolicy
    /// Seconds of `max-age` for clients where the origin sent no `Cache-Control`.
    package var advertisedLifetime: Int64
    /// The origin's tags for purging, each once and without blanks.
    package var tags: [String]
    package var kind: Kind
    /// What the record's maker knows of the body, as tagged fields; their values are opaque to the cache.
    package var metadata: [UInt8]
    /// `fields`; a codec appends to them and calls `parseFields` once.
    var lines: FieldLines
    /// Fields that a newer release has written; they are kept when the record is written again.
    var unknown = TaggedFields()

    /// Creates a record.
    ///
    /// - Parameter policy: `ResponsePolicy(storedWith: fields, freshness:)`, or the policy by which the response was stored.
    package init(
        key: CacheKey,
        source: String,
        url: String,
        digest: CacheKey,
        length: Int,
        status: Int = 200,
        fields: FieldLines,
        policy: ResponsePolicy,
        advertisedLifetime: Int64 = 0,
        tags: [String] = [],
        kind: Kind = .picture,
        metadata: [UInt8] = []
    ) {
        self.key = key
        self.source = source
        self.url = url
        self.digest = digest
        self.length = length
        self.status = status
        lines = fields
        self.policy = policy
        self.advertisedLifetime = advertisedLifetime
        self.tags = tags
        self.kind = kind
        self.metadata = metadata
    }

    /// Replaces the fields together with the policy by which they were stored.
    package mutating func setFields(_ fields: FieldLines, policy: ResponsePolicy) {
        lines = fields
        self.policy = policy
    }

    /// Brings `policy` up to date with the fields.
    package mutating func parseFields() { policy = ResponsePolicy(storedWith: lines, freshness: policy.freshness) }

    /// For how long the stored response is fresh.
    package var freshness: Freshness {
        get { policy.freshness }
        set { policy.freshness = newValue }
    }

    /// Makes it stale from a second of the wall clock on, unless it is stale by then already.
    package mutating func expire(at now: Int64) { policy = policy.expired(at: now) }
}

/// The fields by name.
extension OriginRecord {
    /// The `ETag` field's value; for a file, its identity.
    package var entityTag: String? {
        get { lines["etag"] }
        set { setField("ETag", newValue) }
    }

    /// The `Last-Modified` field's value.
    package var lastModified: String? {
        get { lines["last-modified"] }
        set { setField("Last-Modified", newValue) }
    }

    /// `Cache-Control` as the origin sent it, which clients receive; `nil` where it sent none.
    package var downstreamCacheControl: String? { lines["cache-control"] }

    /// The field that counts for this cache: a valid `CDN-Cache-Control` (RFC 9213), else `Cache-Control`; `nil` without either.
    package var cacheControl: String? {
        get { lines.targetedCacheControl ?? downstreamCacheControl }
        set { setCacheControl(newValue, client: clientCacheControl) }
    }

    /// `Cache-Control` beside a valid `CDN-Cache-Control`, empty where there is none; `nil` without `CDN-Cache-Control`.
    package var clientCacheControl: String? {
        get { lines.targetedCacheControl == nil ? nil : downstreamCacheControl ?? "" }
        set { setCacheControl(cacheControl, client: newValue) }
    }

    private mutating func setField(_ name: String, _ value: String?) {
        lines.remove([name.lowercased()])
        lines.appendStored(name, value)
    }

    private mutating func setCacheControl(_ control: String?, client: String?) {
        lines.remove(["cache-control", "cdn-cache-control"])
        lines.appendStored(cacheControl: control, client: client)
        parseFields()
    }
}

extension FieldLines {
    /// `CDN-Cache-Control` where it is valid (RFC 9213 §2.1); an invalid one is ignored.
    fileprivate var targetedCacheControl: String? {
        self["cdn-cache-control"].flatMap { CacheControl(targeted: $0) == nil ? nil : $0 }
    }

    /// Adds the lines that two values stand for: that of the field that counts for this cache, and `Cache-Control` where that is another.
    ///
    /// Layouts before 11 kept these, the first one perhaps written anew from the directives.
    package mutating func appendStored(cacheControl: String?, client: String?) {
        guard let client, let cacheControl else { return appendStored("Cache-Control", cacheControl ?? client) }
        // An empty field would count as absent, and leave the word to Cache-Control: an unknown directive says as little.
        var targeted = cacheControl
        if CacheControl(targeted: targeted) == nil { targeted = CacheControl(cacheControl).text }
        appendStored("CDN-Cache-Control", targeted.isEmpty ? "unspecified" : targeted)
        if !client.isEmpty { appendStored("Cache-Control", client) }
    }

    /// Adds a line; control characters in its value become spaces (RFC 9110 §5.5).
    package mutating func appendStored(_ name: String, _ value: String?) {
        guard let value else { return }
        let bytes = value.utf8.map { $0 < 32 && $0 != 9 || $0 == 127 ? 32 : $0 }
        if let line = FieldLine(name: name, value: bytes) { append(line) }
    }
}
