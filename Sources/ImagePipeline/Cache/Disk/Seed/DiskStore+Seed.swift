import LinuxSystem

/// What the seed layer has where the store itself has nothing.
extension DiskStore {
    /// A variant of the seed; the origin's record is the store's own where it has one of the same body, and a miss where it has
    /// another.
    func seedVariant(_ key: CacheKey) -> StoredVariant? {
        guard let seed = shared.seed else { return nil }
        let row = shared.removals.visible(\.subject, expire: { $0.origin.expire(at: $1) }) {
            visible(seedRow { index throws(SQLiteError) in readable(try index.variant(key)) }, \.subject)
        }
        guard var row else { return nil }
        let origin = row.record.origin
        if let own = read({ index throws(SQLiteError) in readable(try index.origin(origin)) }) {
            guard own.record.digest == row.record.originDigest else { return nil }
            row.origin = own.record
        }
        guard
            let file = open(
                in: seed.folder,
                .variants,
                key,
                digest: row.record.digest,
                length: row.record.length,
                trailer: row.trailer
            )
        else { return nil }
        return StoredVariant(record: row.record, origin: row.origin, file: file)
    }

    /// An original of the seed.
    ///
    /// - Parameter own: the store's own record without body.
    func seedOrigin(_ key: CacheKey, own: OriginRecord?) -> StoredOrigin? {
        guard let seed = shared.seed else { return nil }
        let row = shared.removals.visible(\.subject, expire: { $0.record.expire(at: $1) }) {
            visible(seedRow { index throws(SQLiteError) in readable(try index.origin(key)) }, \.subject)
        }
        guard let row, own == nil || own?.digest == row.record.digest else { return nil }
        let record = own ?? row.record
        guard row.hasBody,
            let file = open(
                in: seed.folder,
                .originals,
                key,
                digest: record.digest,
                length: record.length,
                trailer: row.trailer
            )
        else { return own == nil ? StoredOrigin(record: record, file: nil) : nil }
        return StoredOrigin(record: record, file: file)
    }

    private func seedRow<Row: Sendable>(_ body: (inout DiskIndex) throws(SQLiteError) -> Row?) -> Row? {
        do throws(DiskReaderPool.Failure) {
            return try shared.seed?.readers.read(body)
        } catch {
            shared.count { $0.errors += 1 }
            return nil
        }
    }

    /// A row of the seed unless it has been purged; nothing while the own index, which knows that, cannot be read.
    private func visible<Row>(_ row: Row?, _ subject: (Row) -> FlightSubject) -> Row? {
        guard let row else { return nil }
        let about = subject(row)
        let isRemoved = read { index throws(SQLiteError) in try index.wasRemoved(about) }
        return isRemoved == false ? row : nil
    }
}
