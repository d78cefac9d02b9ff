import Glibc
import LinuxSystem

/// A read-only cache folder filled in advance, such as one shipped with a container image; consulted after the store's own folder.
///
/// Purges of its content are recorded in the store's own index, which hides it from then on.
final class DiskSeed: Sendable {
    let folder: DiskFolder
    let readers: DiskReaderPool

    /// Opens the folder; blocks while it reads the index.
    init(path: String, files: any FileSystem) throws(DiskStoreError) {
        folder = DiskFolder(path: path)
        readers = DiskReaderPool(path: folder.index, isAtRest: true)
        let inspector = DiskFolderInspector(folder: folder, files: files)
        switch inspector.state() {
        case .absent: throw .seed(path: path, reason: "the folder does not exist")
        case .notFolder: throw .seed(path: path, reason: "not a folder")
        case .unreadable(let errno): throw .seed(path: path, reason: "cannot be read: \(errno)")
        case .free, .foreign: throw .seed(path: path, reason: "not a cache folder of Edgeprint")
        case .cache(let cache):
            // A folder in use changes while it is read. If there is a log, the index file alone is out of date.
            guard inspector.isAtRest(isLocked: cache.isLocked) else {
                throw .seed(
                    path: path,
                    reason: "in use, or its daemon was killed: run edgeprint fsck --repair first"
                )
            }
            guard let version = cache.version, version == DiskIndex.migrations.count else {
                let found = cache.version.map { "has layout \($0)" } ?? "has no index"
                let wanted = "this release reads \(DiskIndex.migrations.count)"
                throw .seed(
                    path: path,
                    reason: "\(found), \(wanted): edgeprint fsck --repair migrates an older one"
                )
            }
        }
        readers.open()
    }

    /// Whether the seed has an original's record.
    func contains(origin key: CacheKey) -> Bool {
        let row = try? readers.read { index throws(SQLiteError) in try index.origin(key) }
        return row != nil
    }

    /// The records of a selection's originals in the seed; empty for a preset, which selects variants.
    func origins(in selection: PurgeSelection) -> [OriginRecord] {
        let read = { (index: inout DiskIndex) throws(SQLiteError) -> [CacheKey] in
            var keys: [CacheKey] = []
            for var walk in DiskIndex.walks(selection) {
                while !walk.isDone { keys += try index.next(&walk, limit: 1024).map(\.key) }
            }
            return keys
        }
        let keys = (try? readers.read(read)) ?? []
        return keys.compactMap { key in
            let row = try? readers.read { index throws(SQLiteError) in try index.origin(key) }
            return row?.record
        }
    }

    /// Whether the seed has an original with the same body.
    func contains(_ origin: OriginRecord) -> Bool {
        let row = try? readers.read { index throws(SQLiteError) in try index.origin(origin.key) }
        return row?.record.digest == origin.digest
    }
}

/// Lookups in the seed, after a miss in the store's own folder.
extension DiskStore {
    /// A variant of the seed.
    ///
    /// The store's own record of its original takes precedence; if that has another body, the variant is a miss.
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

    /// An original from the seed.
    ///
    /// - Parameter own: the store's own record, which has no body.
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

    /// A row of the seed unless it was purged; `nil` while the store's own index, which records that, cannot be read.
    private func visible<Row>(_ row: Row?, _ subject: (Row) -> PurgeSubject) -> Row? {
        guard let row else { return nil }
        let about = subject(row)
        let isRemoved = read { index throws(SQLiteError) in try index.wasRemoved(about) }
        return isRemoved == false ? row : nil
    }
}
