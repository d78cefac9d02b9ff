import Glibc
import LinuxSystem

/// Content files: written completely under a temporary name, then renamed.
extension DiskSession {
    /// Writes a content file: what `fill` writes, then its trailer.
    ///
    /// Not synced: after a power cut a file may be short or empty, which its length shows.
    /// - Parameters:
    ///   - isBare: whether the trailer is attached to the file instead; without room for it, the file has none.
    ///   - body: a body that has been received into an unnamed file becomes the content file itself, without `fill`.
    /// - Returns: its path.
    func write(
        _ diskClass: DiskClass,
        _ key: CacheKey,
        _ digest: CacheKey,
        _ trailer: [UInt8],
        isBare: Bool = false,
        of body: OriginBody? = nil,
        _ fill: (SharedDescriptor) throws(DiskFault) -> Void
    ) throws(DiskFault) -> String {
        let path = folder.file(diskClass, key, digest)
        let temporary = nextTemporary()
        do throws(DiskFault) {
            let file: SharedDescriptor
            if let received = try named(body, temporary) {
                file = received
            } else {
                file = try DiskFault.file { () throws(Errno) in try create(temporary) }
                try fill(file)
            }
            try DiskFault.file { () throws(Errno) in
                if isBare { try? files.attach(trailer, to: file) } else { try files.write(trailer, to: file) }
                try moveIntoPlace(temporary, path)
            }
        } catch {
            try? files.remove(temporary)
            throw error
        }
        noteWritten(path)
        shared.verified.insert(key, digest)
        return path
    }

    /// Creates a file, for which other descriptors are closed if there is none left.
    private func create(_ path: String) throws(Errno) -> SharedDescriptor {
        let flags = O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW
        do throws(Errno) {
            return try files.open(path, flags: flags)
        } catch {
            guard error.code == EMFILE, shared.configuration.relief?.relieve() == true else { throw error }
            return try files.open(path, flags: flags)
        }
    }

    /// Nobody can write to an unnamed body that was received completely (`BodySink`), so its digest is not checked again.
    private func named(_ body: OriginBody?, _ path: String) throws(DiskFault) -> SharedDescriptor? {
        guard let body else { return nil }
        return try DiskFault.file { () throws(Errno) in try files.name(body.file, length: body.length, path) }
    }

    /// Returns the damage of an entry's file; `nil` if it is sound.
    ///
    /// - Parameter readsAll: whether to also compare the bytes with their digest.
    /// - Throws: an error that does not prove damage: too many open files, an I/O error.
    func damage(of entry: DiskIndex.Entry, readsAll: Bool = false) throws(Errno) -> DiskDamage.Kind? {
        do throws(Errno) {
            let file = try files.open(folder.file(entry.diskClass, entry.key, entry.digest), flags: O_RDONLY)
            guard try files.size(of: file) == entry.length + entry.trailer else { return .length }
            guard readsAll else { return nil }
            guard try BodyDigest.of(file, length: entry.length, files: files) == entry.digest else { return .checksum }
            guard entry.trailer > 0 else { return nil }
            if case .none = try ContentTrailer.read(file, files) { return .checksum }
            return nil
        } catch {
            guard error.code == ENOENT || error.code == ENOTDIR else { throw error }
            return .missing
        }
    }

    /// Checks an entry that a reader found wrong, and drops it if it is damaged.
    func verify(_ diskClass: DiskClass, _ key: CacheKey) throws(DiskFault) {
        do throws(SQLiteError) {
            switch diskClass {
            case .originals:
                guard let state = try index.originEntry(key), let body = state.body, noteIfBroken(body) else { return }
                try drop(body)
            case .variants:
                guard let variant = try index.variantEntry(key), noteIfBroken(variant.entry) else { return }
                try drop(variant)
            }
        } catch {
            throw .index(error)
        }
    }

    /// Drops an entry whose bytes do not match its digest, unless the key has another digest by now.
    func discard(_ diskClass: DiskClass, _ key: CacheKey, _ digest: CacheKey) throws(DiskFault) {
        do throws(SQLiteError) {
            switch diskClass {
            case .originals:
                guard let body = try index.originEntry(key)?.body, body.digest == digest else { return }
                try drop(body)
            case .variants:
                guard let variant = try index.variantEntry(key), variant.entry.digest == digest else { return }
                try drop(variant)
            }
        } catch {
            throw .index(error)
        }
    }

    /// Whether an entry's file certainly does not match its row; counts and reports that unless there is none.
    private func noteIfBroken(_ entry: DiskIndex.Entry) -> Bool {
        do throws(Errno) {
            guard let kind = try damage(of: entry) else { return false }
            if kind != .missing { shared.noteDamage(folder.file(entry.diskClass, entry.key, entry.digest)) }
            return true
        } catch {
            return false
        }
    }

    /// Drops a body, and the row when nothing else needs it.
    func drop(_ body: DiskIndex.Entry) throws(SQLiteError) {
        try noteGone(body)
        try index.dropBody(body.id)
        try index.deleteOriginIfUnused(body.id)
    }

    /// Drops a variant, and its original's row when nothing else needs it.
    func drop(_ variant: DiskIndex.VariantEntry) throws(SQLiteError) {
        try noteGone(variant.entry)
        try index.deleteVariant(variant.entry.id)
        try index.deleteOriginIfUnused(variant.origin)
    }

    private func moveIntoPlace(_ temporary: String, _ path: String) throws(Errno) {
        do throws(Errno) {
            try files.rename(temporary, to: path)
        } catch {
            guard error.code == ENOENT else { throw error }
            // The first file of its fan-out folder.
            try makeFan(of: path)
            try files.rename(temporary, to: path)
        }
    }

    /// Creates the fan-out folders of a content file.
    func makeFan(of path: String) throws(Errno) {
        let inner = leaf(of: path)
        do throws(Errno) {
            try files.makeFolder(inner)
        } catch {
            guard error.code == ENOENT else { throw error }
            try files.makeFolder(String(inner.dropLast(3)))
            try files.makeFolder(inner)
        }
    }

    /// Deletes a content file, and its fan-out folder with the last file.
    ///
    /// An empty folder takes a block, which no quota counts. Only this thread creates files there. What cannot be deleted is found by
    /// reconciliation.
    func delete(_ path: String) {
        try? files.remove(path)
        try? files.removeFolder(leaf(of: path))
    }

    /// The inner fan-out folder of a content file.
    private func leaf(of path: String) -> String {
        // "…/ab/cd/NAME": the name has 81 characters.
        String(path.dropLast(82))
    }
}
