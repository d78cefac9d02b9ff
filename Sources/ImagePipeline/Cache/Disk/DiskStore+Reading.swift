import Glibc
import LinuxSystem

/// Reads: they block on the disk, never on the writer. What is still queued for writing is a miss.
extension DiskStore {
    /// The variant of a key with its origin's record and its open file.
    package func variant(_ key: CacheKey) -> StoredVariant? {
        let row = shared.removals.visible(\.subject, expire: { $0.origin.expire(at: $1) }) {
            read { index throws(SQLiteError) in readable(try index.variant(key)) }
        }
        guard let row,
            let file = open(
                in: shared.folder,
                .variants,
                key,
                digest: row.record.digest,
                length: row.record.length,
                trailer: row.trailer
            )
        else {
            let seeded = row == nil ? seedVariant(key) : nil
            shared.count { if seeded == nil { $0.variants.misses += 1 } else { $0.variants.hits += 1 } }
            return seeded
        }
        shared.count { $0.variants.hits += 1 }
        touch(.variants, key)
        return StoredVariant(record: row.record, origin: row.origin, file: file)
    }

    /// The origin of a key; its file only while the body is stored.
    package func origin(_ key: CacheKey) -> StoredOrigin? {
        let row = shared.removals.visible(\.subject, expire: { $0.record.expire(at: $1) }) {
            read { index throws(SQLiteError) in readable(try index.origin(key)) }
        }
        guard let row else {
            let seeded = seedOrigin(key, own: nil)
            shared.count { if seeded?.file == nil { $0.originals.misses += 1 } else { $0.originals.hits += 1 } }
            return seeded
        }
        let record = row.record
        guard row.hasBody,
            let file = open(
                in: shared.folder,
                .originals,
                key,
                digest: record.digest,
                length: record.length,
                trailer: row.trailer
            )
        else {
            if let seeded = seedOrigin(key, own: record) {
                shared.count { $0.originals.hits += 1 }
                return seeded
            }
            shared.count { $0.originals.misses += 1 }
            return StoredOrigin(record: record, file: nil)
        }
        shared.count { $0.originals.hits += 1 }
        touch(.originals, key)
        return StoredOrigin(record: row.record, file: file)
    }

    /// Counts a selection; what is hidden already counts no more.
    package func count(_ selection: PurgeSelection) -> PurgeCounts {
        read { index throws(SQLiteError) in try index.count(selection) } ?? PurgeCounts()
    }

    /// A variant's row; `nil` where this release does not know its metadata, or its original's.
    func readable(_ row: DiskIndex.VariantRow?) -> DiskIndex.VariantRow? {
        let isReadable = shared.configuration.isReadable
        return row.flatMap {
            isReadable(.variants, $0.record.metadata) && isReadable(.originals, $0.origin.metadata) ? $0 : nil
        }
    }

    /// An original's row; `nil` as above.
    func readable(_ row: DiskIndex.OriginRow?) -> DiskIndex.OriginRow? {
        row.flatMap { shared.configuration.isReadable(.originals, $0.record.metadata) ? $0 : nil }
    }

    func read<Row: Sendable>(_ body: (inout DiskIndex) throws(SQLiteError) -> Row?) -> Row? {
        do throws(DiskReaderPool.Failure) {
            return try shared.readers.read(body)
        } catch {
            shared.count { $0.errors += 1 }
            if error.error.isCorruption { _ = shared.queue.submit(.rebuild(generation: error.generation)) }
            return nil
        }
    }

    /// Opens a content file; `nil`, and the writer looks after the row, when it is not as the row says.
    ///
    /// The first time after the start, its body is read and compared with its digest.
    func open(
        in folder: DiskFolder,
        _ diskClass: DiskClass,
        _ key: CacheKey,
        digest: CacheKey,
        length: Int,
        trailer: Int
    ) -> SharedDescriptor? {
        let path = folder.file(diskClass, key, digest)
        let files = shared.configuration.files
        do throws(Errno) {
            let file = try files.open(path, flags: O_RDONLY)
            if try files.size(of: file) == length + trailer {
                if shared.verified.contains(key, digest) { return file }
                if try BodyDigest.of(file, length: length, files: files) == digest {
                    shared.verified.insert(key, digest)
                    return file
                }
                shared.count { $0.corruptions += 1 }
                guard folder == shared.folder else { return nil }
                _ = shared.queue.submit(.discard(diskClass, key, digest: digest))
                return nil
            }
        } catch {
            if error.code != ENOENT { shared.count { $0.errors += 1 } }
        }
        if folder == shared.folder { _ = shared.queue.submit(.verify(diskClass, key)) }
        return nil
    }
}
