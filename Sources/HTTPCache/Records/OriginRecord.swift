package import HTTPSemantics

/// The metadata of a stored response: its origin, its stored fields and its freshness.
///
/// A record outlives the body for as long as something derived from it needs its freshness (RFC 9111 §4.2: a variant is as
/// fresh as its original).
package struct OriginRecord: Hashable, Sendable {
    /// The kind of the stored body; the raw values are those on disk.
    package enum Kind: Int64, Hashable, Sendable {
        case picture = 0
        /// The responses of one URL of a raw source; the body is an encoded `RawEntry`.
        case raw = 1
    }

    /// The hash of the source, the normalised URL and the forwarded parameters.
    package var key: CacheKey
    /// The configured source's name; `fetch` for remote URLs.
    package var source: String
    /// The normalised upstream URL of the first request; for a folder, the file's path below the source's root.
    package var url: String
    /// SHA-256 of the body; objects derived from another body are invalid.
    package var digest: CacheKey
    /// The body's length in bytes.
    package var length: Int
    /// The response's status code.
    package var status: Int
    /// The stored end-to-end field lines, as the origin sent them.
    package var fields: FieldLines {
        get { lines }
        set {
            lines = newValue
            parseFields()
        }
    }
    /// What the response allows a shared cache to do; parsed once, when the record is created or read.
    package internal(set) var policy: ResponsePolicy
    /// The `max-age` in seconds that is sent to clients if the origin sent no `Cache-Control`.
    package var advertisedLifetime: Int64
    /// The origin's purge tags, without duplicates and without spaces.
    package var tags: [String]
    package var kind: Kind
    /// What was known of purges when the origin was asked for the response, or for its last validation.
    package var stamp = PurgeStamp()
    /// Metadata about the body as tagged fields, opaque to the cache.
    package var metadata: [UInt8]
    /// The storage of `fields`; a codec appends to it and calls `parseFields` once.
    var lines: FieldLines
    /// Fields written by a newer release; preserved when the record is rewritten.
    var unknown = TaggedFields()

    /// Creates a record.
    ///
    /// - Parameter policy: `ResponsePolicy(storedWith: fields, freshness:)`, or the policy with which the response was stored.
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

    /// Replaces the fields and the policy with which they were stored.
    package mutating func setFields(_ fields: FieldLines, policy: ResponsePolicy) {
        lines = fields
        self.policy = policy
    }

    /// Updates `policy` from the fields.
    package mutating func parseFields() { policy = ResponsePolicy(storedWith: lines, freshness: policy.freshness) }

    /// The stored response's freshness.
    package var freshness: Freshness {
        get { policy.freshness }
        set { policy.freshness = newValue }
    }

    /// Marks the response as stale from a second of the wall clock, unless it is already stale by then.
    package mutating func expire(at now: Int64) { policy = policy.expired(at: now) }
}

/// Access to individual fields.
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

    /// The origin's `Cache-Control`, which clients receive; `nil` if it sent none, or one without directives.
    package var downstreamCacheControl: String? {
        lines["cache-control"].flatMap { $0.utf8.allSatisfy(", \t".utf8.contains) ? nil : $0 }
    }

    /// The value that applies to this cache: a valid `CDN-Cache-Control` (RFC 9213), else `Cache-Control`; `nil` without either.
    package var cacheControl: String? {
        get { lines.targetedCacheControl ?? downstreamCacheControl }
        set { setCacheControl(newValue, client: clientCacheControl) }
    }

    /// `Cache-Control` next to a valid `CDN-Cache-Control`, empty if absent; `nil` without `CDN-Cache-Control`.
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
    /// The value of `CDN-Cache-Control` if it is valid (RFC 9213 §2.1); an invalid one is ignored.
    fileprivate var targetedCacheControl: String? {
        self["cdn-cache-control"].flatMap { CacheControl(targeted: $0) == nil ? nil : $0 }
    }

    /// Appends the lines for two values: the one that applies to this cache, and `Cache-Control` if that is different.
    ///
    /// Disk layouts before 11 stored these values; the first may be regenerated from its directives.
    package mutating func appendStored(cacheControl: String?, client: String?) {
        guard let client, let cacheControl else { return appendStored("Cache-Control", cacheControl ?? client) }
        // An empty field would be ignored in favour of Cache-Control; an unknown directive has no effect and prevents that.
        var targeted = cacheControl
        if CacheControl(targeted: targeted) == nil { targeted = CacheControl(cacheControl).text }
        appendStored("CDN-Cache-Control", targeted.isEmpty ? "unspecified" : targeted)
        if !client.isEmpty { appendStored("Cache-Control", client) }
    }

    /// Appends a line; control characters in its value become spaces (RFC 9110 §5.5).
    package mutating func appendStored(_ name: String, _ value: String?) {
        guard let value else { return }
        let bytes = value.utf8.map { $0 < 32 && $0 != 9 || $0 == 127 ? 32 : $0 }
        if let line = FieldLine(name: name, value: bytes) { append(line) }
    }
}
