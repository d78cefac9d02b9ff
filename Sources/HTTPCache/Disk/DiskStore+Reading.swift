import Glibc
package import LinuxSystem

/// A variant found on disk; its body is the first `record.length` bytes of `file`.
package struct StoredVariant: Sendable {
    package var record: VariantRecord
    package var origin: OriginRecord
    /// Stays readable after the entry is evicted.
    package var file: SharedDescriptor
    /// The path of a bare file, relative to the cache folder; `nil` for other files, and for those of a seed.
    package var barePath: String?
}

/// An original found on disk; its body is the first `record.length` bytes of `file`.
package struct StoredOrigin: Sendable {
    package var record: OriginRecord
    /// `nil` when only the record is stored; stays readable after the entry is evicted.
    package var file: SharedDescriptor?
}

/// Reads. They block on the disk but never on the writer; an entry that is still queued for writing is a miss.
extension DiskStore {
    /// Looks up a variant, with its original's record and its open file.
    package func variant(_ key: CacheKey) -> StoredVariant? {
        let row = shared.removals.visible(\.subject, expire: { $0.origin.expire(at: $1) }) {
            read { index throws(SQLiteError) in readable(try index.variant(key)) }
        }
        guard let row, let file = content(row) else {
            let seeded = row == nil ? seedVariant(key) : nil
            shared.count { if seeded == nil { $0.variants.misses += 1 } else { $0.variants.hits += 1 } }
            return seeded
        }
        shared.count { $0.variants.hits += 1 }
        touch(.variants, key)
        return StoredVariant(record: row.record, origin: row.origin, file: file, barePath: barePath(row))
    }

    /// Looks up a variant by its resolved key, under which requests with other keys may have stored it.
    package func variant(resolved key: CacheKey, for subject: PurgeSubject) -> StoredVariant? {
        // A pending purge that selects the request hides the result even if it was stored for another one.
        let isHidden = shared.removals.visible({ _ in subject }, expire: { _, _ in }) { () } == nil
        guard !isHidden else { return nil }
        let row = shared.removals.visible(\.subject, expire: { $0.origin.expire(at: $1) }) {
            read { index throws(SQLiteError) in readable(try index.variant(resolved: key)) }
        }
        guard let row, let file = content(row) else { return nil }
        shared.count { $0.variants.hits += 1 }
        touch(.variants, row.record.key)
        return StoredVariant(record: row.record, origin: row.origin, file: file, barePath: barePath(row))
    }

    /// Opens a variant's file.
    private func content(_ row: DiskIndex.VariantRow) -> SharedDescriptor? {
        open(
            in: shared.folder,
            .variants,
            row.record.key,
            digest: row.record.digest,
            length: row.record.length,
            trailer: row.trailer
        )
    }

    /// The path of a variant's file if that is bare.
    private func barePath(_ row: DiskIndex.VariantRow) -> String? {
        let record = row.record
        guard row.trailer == 0, shared.configuration.isBare(record.length) else { return nil }
        return shared.folder.relative(shared.folder.file(.variants, record.key, record.digest))
    }

    package func barePath(ofVariant key: CacheKey, digest: CacheKey, length: Int) -> String? {
        guard shared.configuration.isBare(length) else { return nil }
        let (path, files) = (shared.folder.file(.variants, key, digest), shared.configuration.files)
        guard let file = try? files.open(path, flags: O_RDONLY), (try? files.size(of: file)) == length else {
            return nil
        }
        if !shared.verified.contains(key, digest) {
            guard (try? BodyDigest.of(file, length: length, files: files)) == digest else { return nil }
            shared.verified.insert(key, digest)
        }
        return shared.folder.relative(path)
    }

    /// Looks up an original; it has a file only while its body is stored.
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

    /// Looks up a variant's records only; does not count as a use, nor in the statistics.
    package func peek(variant key: CacheKey) -> (record: VariantRecord, origin: OriginRecord)? {
        let row = shared.removals.visible(\.subject, expire: { $0.origin.expire(at: $1) }) {
            read { index throws(SQLiteError) in readable(try index.variant(key)) }
        }
        if let row { return (row.record, row.origin) }
        return seedVariant(key).map { ($0.record, $0.origin) }
    }

    /// Looks up an original's record only; does not count as a use, nor in the statistics.
    package func peek(origin key: CacheKey) -> (record: OriginRecord, hasBody: Bool)? {
        let row = shared.removals.visible(\.subject, expire: { $0.record.expire(at: $1) }) {
            read { index throws(SQLiteError) in readable(try index.origin(key)) }
        }
        if let row, row.hasBody { return (row.record, true) }
        return seedOrigin(key, own: row?.record).map { ($0.record, $0.file != nil) } ?? row.map { ($0.record, false) }
    }

    /// Returns the labels of an original's current variants; does not count as a use, nor in the statistics.
    package func labels(ofVariantsOf key: CacheKey, limit: Int) -> [String] {
        read { index throws(SQLiteError) in try index.labels(ofVariantsOf: key, limit: limit) } ?? []
    }

    /// Counts what a purge would remove.
    package func count(_ selection: PurgeSelection) -> PurgeCounts {
        read { index throws(SQLiteError) in try index.count(selection) } ?? PurgeCounts()
    }

    /// A variant's row; `nil` if its metadata, or its original's, is unknown to this release.
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

    /// Opens a content file; `nil` when it does not match its row, which the writer then checks.
    ///
    /// The first time after the start, the body is hashed and compared with its digest.
    ///
    /// - Parameter mayRelieve: whether to close other descriptors and try once more if there is none left.
    func open(
        in folder: DiskFolder,
        _ diskClass: DiskClass,
        _ key: CacheKey,
        digest: CacheKey,
        length: Int,
        trailer: Int,
        mayRelieve: Bool = true
    ) -> SharedDescriptor? {
        let path = folder.file(diskClass, key, digest)
        let files = shared.configuration.files
        do throws(Errno) {
            let file = try files.open(path, flags: O_RDONLY)
            // The length of a damaged record may be any; no file has a negative sum.
            if try files.size(of: file) == length &+ trailer {
                if shared.verified.contains(key, digest) { return file }
                if try BodyDigest.of(file, length: length, files: files) == digest {
                    shared.verified.insert(key, digest)
                    return file
                }
                shared.noteDamage(path)
                guard folder == shared.folder else { return nil }
                _ = shared.queue.submit(.discard(diskClass, key, digest: digest))
                return nil
            }
        } catch {
            if mayRelieve, error.code == EMFILE, shared.configuration.relief?.relieve() == true {
                return open(
                    in: folder,
                    diskClass,
                    key,
                    digest: digest,
                    length: length,
                    trailer: trailer,
                    mayRelieve: false
                )
            }
            if error.code != ENOENT { shared.count { $0.errors += 1 } }
        }
        if folder == shared.folder { _ = shared.queue.submit(.verify(diskClass, key)) }
        return nil
    }
}

/// Responses of raw sources, stored among the originals.
extension DiskStore: RawStoring {
    package func raw(_ key: CacheKey) -> StoredRaw? {
        let row = shared.removals.visible(\.subject, expire: { $0.record.expire(at: $1) }) {
            read { index throws(SQLiteError) in try index.origin(key, kind: .raw) }
        }
        guard let row, row.hasBody, let file = content(row) else {
            shared.count { $0.originals.misses += 1 }
            return nil
        }
        shared.count { $0.originals.hits += 1 }
        touch(.originals, key)
        return StoredRaw(record: row.record, file: file)
    }

    @discardableResult
    package func store(raw content: RawContent) -> Bool {
        submit(.raw(content, use: shared.nextUse()))
    }

    private func content(_ row: DiskIndex.OriginRow) -> SharedDescriptor? {
        let record = row.record
        return open(
            in: shared.folder,
            .originals,
            record.key,
            digest: record.digest,
            length: record.length,
            trailer: row.trailer
        )
    }
}
