import Glibc
import LinuxSystem

/// Purges to run once the folder is usable.
///
/// Those that are answered meanwhile are listed in the folder, so that the next process carries them out if this one does not.
///
/// Confined to the writer's thread.
final class DiskPostponedPurges {
    private let shared: DiskShared
    private let places: DiskPlaces
    private let list: DiskPurgeList
    /// The purges; `DiskRemovals` bounds them.
    private var sweeps: [Purge: DiskSweep] = [:]
    /// The purges of the list, and their lines.
    private var listed: Set<Purge> = []
    private var lines: [UInt8] = []
    /// Whether the folder has them all.
    private var isWritten = true
    /// Whether some of them are an earlier process's.
    private var hasFound = false

    /// Creates an empty collection.
    init(_ shared: DiskShared, _ places: DiskPlaces) {
        self.shared = shared
        self.places = places
        list = DiskPurgeList(folder: shared.folder, files: shared.configuration.files)
    }

    /// Whether no purge waits.
    var isEmpty: Bool { sweeps.isEmpty }

    /// Whether an earlier process has left purges, which may not all be committed yet.
    var hasRecalled: Bool { hasFound && !listed.isEmpty }

    /// Adds a purge; readers continue to hide what it selects.
    func add(_ sweep: DiskSweep) {
        let purge = sweep.purge
        let other = sweeps[purge]
        var (ticket, keepsNewer) = (sweep.ticket, sweep.keepsNewer)
        if let other {
            // Equal purges are run once, at the place of the later one.
            shared.removals.finish(purge)
            keepsNewer = keepsNewer && other.keepsNewer
            ticket = places.later(ticket, other.ticket)
        }
        sweeps[purge] = DiskSweep(purge, ticket, keepsNewer: keepsNewer, completion: nil)
    }

    /// Adds what an earlier process has left in the folder, which must be locked, and hides it from readers.
    func recall() throws(Errno) {
        let left = try list.read()
        for var purge in left {
            if !shared.removals.add(purge) {
                // Too many wait: everything goes.
                purge = Purge(.all)
                _ = shared.removals.add(purge)
            }
            add(DiskSweep(purge, nil, completion: nil))
        }
        for purge in left where listed.insert(purge).inserted { lines += DiskPurgeList.line(purge) }
        isWritten = false
        hasFound = hasFound || !left.isEmpty
    }

    /// Adds a purge to the list in the folder, which must be locked.
    ///
    /// - Throws: an error if a restart would lose it.
    func record(_ purge: Purge) throws(Errno) {
        // Beyond its room, the list is a purge of everything.
        if lines.count <= DiskPurgeList.room, listed.insert(purge).inserted {
            lines += DiskPurgeList.line(purge)
            isWritten = false
        }
        guard !isWritten else { return }
        try list.write(lines)
        isWritten = true
    }

    /// Removes and returns all purges; those that make room come first.
    func take() -> [DiskSweep] {
        defer { sweeps = [:] }
        return sweeps.values.filter { $0.purge.staleFrom == nil } + sweeps.values.filter { $0.purge.staleFrom != nil }
    }

    /// Reserves the list's space, unless it has purges.
    func reserve() {
        if listed.isEmpty { try? list.clear() }
    }

    /// Clears the list once the index has all purges; it is tried again later if that fails.
    func settle() {
        guard sweeps.isEmpty, !listed.isEmpty else { return }
        do throws(Errno) { try list.clear() } catch { return }
        (listed, lines, isWritten, hasFound) = ([], [], true, false)
    }
}

/// The list of postponed purges: a file of fixed size, written in place, as it is needed when the file system is full.
///
/// It begins with the digest of the rest: a line for each purge, as in the log of a cluster. A list that cannot be understood, such as
/// an empty or torn one, is a purge of everything.
struct DiskPurgeList {
    /// Bytes of the file.
    static let size = 1 << 15
    /// Bytes of the lines, after a digest in hexadecimal digits and a line break.
    static let room = size - 65

    let folder: DiskFolder
    let files: any FileSystem

    /// The line of a purge.
    static func line(_ purge: Purge) -> [UInt8] {
        // Ages are times for a clock at 0. A purge that is too long for an entry is longer than the list, too.
        let entry = (try? PurgeEntry.encode(purge, now: 0)) ?? [UInt8](repeating: UInt8(ascii: "?"), count: size)
        return entry + [UInt8(ascii: "\n")]
    }

    /// Reads the list; empty if there is none.
    func read() throws(Errno) -> [Purge] {
        let bytes: [UInt8]
        do throws(Errno) {
            let file = try files.open(folder.purges, flags: O_RDONLY | O_NOFOLLOW)
            bytes = try files.read(file, at: 0, count: Self.size + 1)
        } catch {
            guard error.code == ENOENT else { throw error }
            return []
        }
        guard bytes.count == Self.size, Self.text(Array(bytes.suffix(Self.room))) == bytes else { return [Purge(.all)] }
        let lines = bytes.suffix(Self.room).split(separator: UInt8(ascii: "\n"))
        return lines.map { PurgeEntry.decode(Array($0), now: 0).purge }
    }

    /// Writes the list in place, which takes no space that `clear` has not reserved.
    ///
    /// If that fails, or there are too many lines, it becomes a purge of everything.
    func write(_ lines: [UInt8]) throws(Errno) {
        if lines.count <= Self.room {
            do throws(Errno) {
                let file = try files.open(folder.purges, flags: O_WRONLY | O_CREAT | O_NOFOLLOW)
                return try files.write(Self.text(lines), to: file)
            } catch {}
        }
        // An empty file takes no space at all.
        _ = try files.open(folder.purges, flags: O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW)
    }

    /// Replaces the list by one without purges.
    func clear() throws(Errno) {
        let temporary = folder.temporary + "/purges"
        do throws(Errno) {
            let file = try files.open(temporary, flags: O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW)
            try files.write(Self.text([]), to: file)
            try files.rename(temporary, to: folder.purges)
        } catch {
            try? files.remove(temporary)
            throw error
        }
    }

    /// The content of the file.
    private static func text(_ lines: [UInt8]) -> [UInt8] {
        let padded = lines + [UInt8](repeating: UInt8(ascii: "\n"), count: room - lines.count)
        return Array("\(CacheKey(hashing: padded))\n".utf8) + padded
    }
}
