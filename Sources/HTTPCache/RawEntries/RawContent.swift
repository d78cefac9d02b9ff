import HTTPSemantics
package import LinuxSystem

/// The responses of a raw source's URL, queued for the disk; the disk's writer encodes them, so that no event loop has to.
package struct RawContent: Sendable {
    let key: CacheKey
    let source: String
    let url: String
    let entry: RawEntry

    /// Describes the entry of a request's URL.
    init(_ entry: RawEntry, of request: some CacheOrigin) {
        key = request.key
        source = request.rule.name
        url = request.identity
        self.entry = entry
    }

    /// The size in bytes, for bounding the write queue.
    var cost: Int { entry.cost }

    /// The record and the encoded body.
    ///
    /// The record covers all responses: it has all their tags, the earliest confirmation time and stamp, and the latest expiry. A
    /// purge by any of these may therefore remove a response too many, but never one too few.
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
        var record = OriginRecord(
            key: key,
            source: source,
            url: url,
            digest: CacheKey(hashing: bytes),
            length: bytes.count,
            // Each response has its own fields, encoded in the body.
            fields: FieldLines(),
            policy: ResponsePolicy(storedWith: FieldLines(), freshness: freshness),
            tags: entry.tags,
            kind: .raw
        )
        let eras = Set(entry.responses.map(\.stamp.era))
        record.stamp.era = eras.count == 1 ? eras.first ?? 0 : 0
        record.stamp.sequence = entry.responses.map(\.stamp.sequence).min() ?? 0
        return (record, bytes)
    }
}

/// The stored responses of a raw source's URL, as read from disk.
package struct StoredRaw: Sendable {
    package var record: OriginRecord
    /// A file that begins with an encoded `RawEntry` of `record.length` bytes.
    package var file: SharedDescriptor

    /// Creates the description of a stored body.
    package init(record: OriginRecord, file: SharedDescriptor) {
        self.record = record
        self.file = file
    }
}
