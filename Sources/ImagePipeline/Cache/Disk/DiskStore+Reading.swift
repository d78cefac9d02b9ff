import Glibc
import LinuxSystem

/// Reads: they block on the disk, never on the writer. What is still queued for writing is a miss.
extension DiskStore {
    /// The variant of a key with its origin's record and its open file.
    package func variant(_ key: CacheKey) -> StoredVariant? {
        let row = shared.removals.visible(origin: { ($0.record.origin, $0.origin.source) }) {
            read { index throws(SQLiteError) in try index.variant(key) }
        }
        guard let row,
            let file = open(.variants, key, digest: row.record.digest, length: row.record.length)
        else {
            shared.count { $0.variants.misses += 1 }
            return nil
        }
        shared.count { $0.variants.hits += 1 }
        touch(.variants, key)
        return StoredVariant(record: row.record, origin: row.origin, file: file)
    }

    /// The origin of a key; its file only while the body is stored.
    package func origin(_ key: CacheKey) -> StoredOrigin? {
        let row = shared.removals.visible(origin: { (key, $0.record.source) }) {
            read { index throws(SQLiteError) in try index.origin(key) }
        }
        guard let row else {
            shared.count { $0.originals.misses += 1 }
            return nil
        }
        guard row.hasBody, let file = open(.originals, key, digest: row.record.digest, length: row.record.length) else {
            shared.count { $0.originals.misses += 1 }
            return StoredOrigin(record: row.record, file: nil)
        }
        shared.count { $0.originals.hits += 1 }
        touch(.originals, key)
        return StoredOrigin(record: row.record, file: file)
    }

    /// Counts a selection; what is hidden already counts no more.
    package func count(_ selection: PurgeSelection) -> PurgeCounts {
        read { index throws(SQLiteError) in try index.count(selection) } ?? PurgeCounts()
    }

    private func read<Row: Sendable>(_ body: (inout DiskIndex) throws(SQLiteError) -> Row?) -> Row? {
        do throws(DiskReaderPool.Failure) {
            return try shared.readers.read(body)
        } catch {
            shared.count { $0.errors += 1 }
            if error.error.isCorruption { _ = shared.queue.submit(.rebuild(generation: error.generation)) }
            return nil
        }
    }

    /// Opens a content file; `nil`, and the writer looks after the row, when it is not as the row says.
    private func open(_ diskClass: DiskClass, _ key: CacheKey, digest: CacheKey, length: Int) -> SharedDescriptor? {
        let path = shared.folder.file(diskClass, key, digest)
        do throws(Errno) {
            let file = try shared.configuration.files.open(path, flags: O_RDONLY)
            if try shared.configuration.files.size(of: file) == length { return file }
        } catch {
            if error.code != ENOENT { shared.count { $0.errors += 1 } }
        }
        _ = shared.queue.submit(.verify(diskClass, key))
        return nil
    }
}
