import HTTPSemantics
import ImagePlan

/// What readers ask.
extension DiskIndex {
    /// A variant's row with its origin's.
    struct VariantRow {
        var record: VariantRecord
        var origin: OriginRecord
        /// Bytes that follow the body in its file.
        var trailer: Int

        /// What it is about, for purging.
        var subject: FlightSubject { FlightSubject(record, of: origin) }
    }

    /// An origin's row.
    struct OriginRow {
        var record: OriginRecord
        var hasBody: Bool
        /// Bytes that follow the body in its file.
        var trailer: Int

        /// What it is about, for purging.
        var subject: FlightSubject { FlightSubject(record) }
    }

    /// The variant of a key, unless it is void: made from another body than its origin's row tells of.
    mutating func variant(_ key: CacheKey) throws(SQLiteError) -> VariantRow? {
        let row = try connection.first(Self.selectVariant, [.key(key)]) { row -> VariantRow? in
            guard let origin = Self.originRecord(row, from: Self.variantColumnCount) else { return nil }
            let trailer = Int(row.integer(Self.variantColumnCount + Self.originColumnCount))
            return Self.variantRecord(row, origin: origin.key).map {
                VariantRow(record: $0, origin: origin, trailer: trailer)
            }
        }
        return row ?? nil
    }

    /// The origin of a key, with or without body; nothing where what is stored under it is of another kind.
    mutating func origin(_ key: CacheKey, kind: OriginRecord.Kind = .picture) throws(SQLiteError) -> OriginRow? {
        let row = try connection.first(Self.selectOrigin, [.key(key)]) { row -> OriginRow? in
            let hasBody = row.integer(Self.originColumnCount) == 1
            let trailer = Int(row.integer(Self.originColumnCount + 1))
            return Self.originRecord(row, from: 0).map { OriginRow(record: $0, hasBody: hasBody, trailer: trailer) }
        }
        return row.flatMap { $0?.record.kind == kind ? $0 : nil }
    }

    private static let selectVariant = """
        SELECT \(variantColumns), \(originColumns), v.trailer FROM variants v JOIN origins o ON o.id = v.origin \
        WHERE v.key = ?1 AND v.origin_digest = o.digest
        """
    private static let selectOrigin = "SELECT \(originColumns), o.has_body, o.trailer FROM origins o WHERE o.key = ?1"

    /// Reads an origin's columns; `nil` where a value is none that this release knows.
    private static func originRecord(_ row: SQLiteStatement, from start: Int32) -> OriginRecord? {
        guard let key = row.key(start), let digest = row.key(start + 3),
            let format = ImageFormat(rawValue: UInt8(truncatingIfNeeded: row.integer(start + 5))),
            let kind = OriginRecord.Kind(rawValue: row.integer(start + 20))
        else { return nil }
        let header = ImageHeader(
            format: format,
            width: Int(row.integer(start + 6)),
            height: Int(row.integer(start + 7)),
            frames: Int(row.integer(start + 8)),
            orientation: Int(row.integer(start + 9)),
            hasAlpha: row.isNull(start + 10) ? nil : row.integer(start + 10) == 1
        )
        return OriginRecord(
            key: key,
            source: row.text(start + 1) ?? "",
            url: row.text(start + 2) ?? "",
            digest: digest,
            length: Int(row.integer(start + 4)),
            header: header,
            entityTag: row.text(start + 11),
            lastModified: row.text(start + 12),
            cacheControl: row.text(start + 13),
            clientCacheControl: row.text(start + 19),
            freshness: Freshness(
                responseTime: row.integer(start + 14),
                initialAge: row.integer(start + 15),
                lifetime: row.integer(start + 16)
            ),
            advertisedLifetime: row.integer(start + 17),
            tags: words(row.text(start + 18)),
            kind: kind,
            placeholder: row.text(start + 21).flatMap { Placeholder(text: Array($0.utf8)) }
        )
    }

    /// Reads a variant's columns, from the first; `nil` where a value is none that this release knows.
    private static func variantRecord(_ row: SQLiteStatement, origin: CacheKey) -> VariantRecord? {
        guard let key = row.key(0), let originDigest = row.key(1), let digest = row.key(8),
            let format = ResultFormat(rawValue: UInt8(truncatingIfNeeded: row.integer(3)))
        else { return nil }
        var record = VariantRecord(
            key: key,
            origin: origin,
            originDigest: originDigest,
            plan: row.text(2) ?? "",
            presets: words(row.text(9)),
            format: format,
            width: Int(row.integer(4)),
            height: Int(row.integer(5)),
            frames: Int(row.integer(6)),
            length: Int(row.integer(7)),
            digest: digest,
            isStandIn: row.integer(10) == 1
        )
        record.ingredients = VariantRecord.ingredients(row.blob(11)[...])
        return record
    }
}
