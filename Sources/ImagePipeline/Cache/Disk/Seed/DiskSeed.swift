import Glibc
import LinuxSystem

/// A cache folder that was filled before, such as one shipped with an image: looked at after the store's own, never written.
///
/// What is purged of it is remembered in the store's own index and hidden from then on.
final class DiskSeed: Sendable {
    let folder: DiskFolder
    let readers: DiskReaderPool

    /// Opens the folder; blocks for as long as looking at its index takes.
    init(path: String, files: any FileSystem) throws(DiskStoreError) {
        folder = DiskFolder(path: path)
        readers = DiskReaderPool(path: folder.index, isAtRest: true)
        let inspector = DiskFolderInspector(folder: folder, files: files)
        switch inspector.state() {
        case .absent: throw .seed(path: path, reason: "there is no such folder")
        case .notFolder: throw .seed(path: path, reason: "it is no folder")
        case .unreadable(let errno): throw .seed(path: path, reason: "it cannot be read: \(errno)")
        case .free, .foreign: throw .seed(path: path, reason: "it is no cache folder of Edgeprint")
        case .cache(let cache):
            // One that is being written changes under its reader; one with a log is not what its index file says.
            guard inspector.isAtRest(isLocked: cache.isLocked) else {
                throw .seed(
                    path: path,
                    reason: "it is in use, or its daemon was killed: `edgeprint fsck --repair` first"
                )
            }
            guard let version = cache.version, version == DiskIndex.migrations.count else {
                let found = cache.version.map { "has layout \($0)" } ?? "has no index"
                let wanted = "this release reads \(DiskIndex.migrations.count)"
                throw .seed(
                    path: path,
                    reason: "it \(found), \(wanted): `edgeprint fsck --repair` brings an older one up"
                )
            }
        }
        readers.open()
    }

    /// Whether an original is in it.
    func contains(origin key: CacheKey) -> Bool {
        let row = try? readers.read { index throws(SQLiteError) in try index.origin(key) }
        return row != nil
    }

    /// What is known of those originals of a selection that are in it; nothing of a preset, which has none.
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

    /// Whether an original with that body is in it.
    func contains(_ origin: OriginRecord) -> Bool {
        let row = try? readers.read { index throws(SQLiteError) in try index.origin(origin.key) }
        return row?.record.digest == origin.digest
    }
}
