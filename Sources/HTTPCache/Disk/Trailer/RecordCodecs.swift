import HTTPSemantics

/// The encoding of an original's record.
extension OriginRecord {
    private static let blank = OriginRecord(
        key: .zero,
        source: "",
        url: "",
        digest: .zero,
        length: 0,
        // Layouts before 11 stored no status.
        status: 0,
        fields: FieldLines(),
        policy: ResponsePolicy(
            storedWith: FieldLines(),
            freshness: Freshness(responseTime: 0, initialAge: 0, lifetime: 0)
        )
    )

    private static let table: [RecordField<OriginRecord>] = [
        .value(1, \.key, isRequired: true),
        .value(2, \.source),
        .value(3, \.url),
        .value(4, \.digest, isRequired: true),
        .value(5, \.length, isRequired: true),
        .value(15, \.policy.freshness.responseTime, isRequired: true),
        .value(16, \.policy.freshness.initialAge),
        .value(17, \.policy.freshness.lifetime),
        .value(18, \.advertisedLifetime),
        .list(19, \.tags),
        .number(21, \.kind, omitting: .picture),
        .value(23, \.status),
        RecordField(tag: 24) { record, encoding in
            for line in record.lines.lines { encoding.put(24, Array(line.name.utf8) + [0x3A] + line.value) }
        } read: { record, bytes in
            guard let line = FieldLine(line: bytes) else { return false }
            record.lines.append(line)
            return true
        },
        .bytes(25, \.metadata),
        .value(26, \.stamp.sequence, omitting: 0),
        .value(27, \.stamp.era, omitting: 0),
    ]

    /// The fields that layouts before 11 stored instead of field lines.
    private static let legacyTable: [RecordField<OriginRecord>] = [
        .legacy(12) { $0.lines.appendStored("ETag", String(decoding: $1, as: UTF8.self)) },
        .legacy(13) { $0.lines.appendStored("Last-Modified", String(decoding: $1, as: UTF8.self)) },
        .legacy(14) { $0.lines.appendStored("Cache-Control", String(decoding: $1, as: UTF8.self)) },
        .legacy(20) { record, bytes in
            // This follows tag 14, which then held the value of CDN-Cache-Control.
            let targeted = record.lines["cache-control"]
            record.lines.remove(["cache-control"])
            record.lines.appendStored(cacheControl: targeted, client: String(decoding: bytes, as: UTF8.self))
        },
    ]

    private static let codec = RecordCodec(
        blank: blank,
        unknown: \.unknown,
        table + legacyTable + RecordField.movedToMetadata([6, 7, 8, 9, 10, 11, 22], \.metadata)
    )

    /// The encoded record.
    package var encoded: [UInt8] { Self.codec.encode(self) }

    /// Decodes a record; `nil` if a required field is missing or a value is unknown to this release.
    package init?(encoded bytes: ArraySlice<UInt8>) {
        guard var record = Self.codec.decode(bytes) else { return nil }
        if record.status == 0 {
            record.status = 200
            // Layouts before 11 stored an empty image header in raw entries.
            if record.kind == .raw { record.metadata = [] }
        }
        record.parseFields()
        self = record
    }
}

/// The encoding of a variant's record.
extension VariantRecord {
    private static let blank = VariantRecord(
        key: .zero,
        origin: .zero,
        originDigest: .zero,
        plan: "",
        length: 0,
        digest: .zero,
        metadata: []
    )

    private static let table: [RecordField<VariantRecord>] = [
        .value(1, \.key, isRequired: true),
        .value(2, \.origin, isRequired: true),
        .value(3, \.originDigest, isRequired: true),
        .value(4, \.plan),
        .value(9, \.length, isRequired: true),
        .value(10, \.digest, isRequired: true),
        .list(11, \.presets),
        RecordField(tag: 13) { record, encoding in
            if !record.auxiliaries.isEmpty { encoding.put(13, Auxiliary.encode(record.auxiliaries)) }
        } read: { record, bytes in
            record.auxiliaries = Auxiliary.decode(bytes)
            return true
        },
        .bytes(14, \.metadata),
        .optional(15, \.resolved),
    ]

    private static let codec = RecordCodec(
        blank: blank,
        unknown: \.unknown,
        table + RecordField.movedToMetadata([5, 6, 7, 8, 12], \.metadata)
    )

    /// The encoded record.
    package var encoded: [UInt8] { Self.codec.encode(self) }

    /// Decodes a record; `nil` if a required field is missing or a value is unknown to this release.
    package init?(encoded bytes: ArraySlice<UInt8>) {
        guard let record = Self.codec.decode(bytes) else { return nil }
        self = record
    }
}

extension VariantRecord.Auxiliary {
    /// Alternating keys and digests.
    fileprivate static func encode(_ auxiliaries: [Self]) -> [UInt8] {
        auxiliaries.flatMap { $0.key.bytes + $0.digest.bytes }
    }

    fileprivate static func decode(_ bytes: ArraySlice<UInt8>) -> [Self] {
        var rest = bytes
        var auxiliaries: [Self] = []
        while let key = CacheKey(bytes: Array(rest.prefix(32))),
            let digest = CacheKey(bytes: Array(rest.dropFirst(32).prefix(32)))
        {
            auxiliaries.append(Self(key: key, digest: digest))
            rest = rest.dropFirst(64)
        }
        return auxiliaries
    }
}

extension CacheKey {
    fileprivate static let zero = CacheKey(hashing: [])
}
