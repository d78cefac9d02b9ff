import Glibc
import LinuxSystem

/// Equal bodies: a body that is stored already gets another name instead of another file.
extension DiskSession {
    /// A content file in place.
    struct Placed {
        var path: String
        /// Bytes that follow the body.
        var trailer: Int
        /// Whether it is another name of a stored file.
        var isLinked: Bool
    }

    /// Gives the stored file with the same bytes the name of another key, in the open transaction.
    ///
    /// The file keeps the trailer of the entry that it was written for.
    /// - Parameter isBare: whether only a bare file will do.
    /// - Returns: `nil` if there is no sound file with the same bytes, or the file system has no further names for it.
    func link(
        _ diskClass: DiskClass,
        _ key: CacheKey,
        _ digest: CacheKey,
        length: Int,
        in scope: BodyScope,
        isBare: Bool = false
    ) throws(DiskFault) -> Placed? {
        try begin()
        var found: DiskIndex.Entry?
        do throws(SQLiteError) {
            found = try index.body(digest, length: length, of: diskClass, in: scope, except: key)
        } catch {
            throw .index(error)
        }
        guard let stored = found, !isBare || stored.trailer == 0, isSound(stored) else { return nil }
        let source = folder.file(diskClass, stored.key, digest)
        let path = folder.file(diskClass, key, digest)
        do throws(Errno) {
            do throws(Errno) {
                try files.link(source, to: path)
            } catch {
                guard error.code == ENOENT else { throw error }
                try makeFan(of: path)
                try files.link(source, to: path)
            }
        } catch {
            // The caller writes the bytes, as it would without the stored file; that also replaces an existing file.
            return nil
        }
        noteWritten(path)
        if shared.verified.contains(stored.key, digest) { shared.verified.insert(key, digest) }
        return Placed(path: path, trailer: stored.trailer, isLinked: true)
    }

    /// Whether an entry's file has the right length.
    private func isSound(_ entry: DiskIndex.Entry) -> Bool {
        do throws(Errno) { return try damage(of: entry) == nil } catch { return false }
    }

    /// Counts a stored body: its bytes, unless it shares them with another row.
    ///
    /// - Parameter id: the row's number.
    func noteStored(
        _ diskClass: DiskClass,
        _ id: Int64,
        _ digest: CacheKey,
        in scope: BodyScope,
        _ placed: Placed,
        length: Int
    ) throws(SQLiteError) {
        var isFree = placed.isLinked
        // The row that counted them may have been deleted while this one was written.
        if isFree { isFree = try !index.chargeIfAlone(diskClass, id, digest, in: scope) }
        if isFree { shared.count { $0.links += 1 } }
        noteStored(diskClass, in: scope.namespace, path: placed.path, length: isFree ? 0 : length)
    }
}
