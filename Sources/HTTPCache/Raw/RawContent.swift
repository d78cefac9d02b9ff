import HTTPSemantics

/// What is kept of a URL of a raw source on its way to the disk; encoded by the writer, so that no event loop does.
package struct RawContent: Sendable {
    let key: CacheKey
    let source: String
    let url: String
    let entry: RawEntry

    /// Describes what is kept of a request's URL.
    init(_ entry: RawEntry, of request: some CacheOrigin) {
        key = request.key
        source = request.rule.name
        url = request.identity
        self.entry = entry
    }

    /// Bytes that wait with it.
    var cost: Int { entry.cost }

    /// The record, and the bytes of its body.
    ///
    /// The record stands for all responses: it bears the tags of all, was confirmed when the first of them was, and is stale when
    /// the last of them is. So a purge by any of these takes a response too many rather than one too few.
    var encoded: (record: OriginRecord, bytes: [UInt8]) {
        let bytes = entry.encoded
        let confirmedAt = entry.responses.map(\.confirmedAt).min() ?? 0
        let staleAt = entry.responses.map(\.policy.freshness.staleAt).max() ?? confirmedAt
        let (lifetime, overflow) = staleAt.subtractingReportingOverflow(confirmedAt)
        let freshness = Freshness(
            responseTime: confirmedAt,
            initialAge: 0,
            lifetime: overflow ? .max : max(0, lifetime)
        )
        let record = OriginRecord(
            key: key,
            source: source,
            url: url,
            digest: CacheKey(hashing: bytes),
            length: bytes.count,
            // Each response has its own, in the body.
            fields: FieldLines(),
            policy: ResponsePolicy(storedWith: FieldLines(), freshness: freshness),
            tags: entry.tags,
            kind: .raw
        )
        return (record, bytes)
    }
}
