import LinuxSystem

/// What the store keeps of raw sources, among the originals.
extension DiskStore: RawStoring {
    package func raw(_ key: CacheKey) -> StoredRaw? {
        let row = shared.removals.visible(\.subject, expire: { $0.record.expire(at: $1) }) {
            read { index throws(SQLiteError) in try index.origin(key, kind: .raw) }
        }
        guard let row, row.hasBody, let bytes = bytes(row) else {
            shared.count { $0.originals.misses += 1 }
            return nil
        }
        shared.count { $0.originals.hits += 1 }
        touch(.originals, key)
        return StoredRaw(record: row.record, bytes: bytes)
    }

    @discardableResult
    package func store(raw content: RawContent) -> Bool {
        submit(.raw(content, use: shared.nextUse()))
    }

    private func bytes(_ row: DiskIndex.OriginRow) -> [UInt8]? {
        let record = row.record
        let file = open(
            in: shared.folder,
            .originals,
            record.key,
            digest: record.digest,
            length: record.length,
            trailer: row.trailer
        )
        guard let file else { return nil }
        do throws(Errno) {
            let bytes = try shared.configuration.files.read(file, at: 0, count: record.length)
            return bytes.count == record.length ? bytes : nil
        } catch {
            shared.count { $0.errors += 1 }
            return nil
        }
    }
}
