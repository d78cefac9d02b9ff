import CLinux
import Glibc
import LinuxSystem

/// An advisory lock on a store's folder, held for the object's lifetime; the kernel releases it when the process ends.
///
/// It is a lock on two files: `lock`, which an operator may delete as the remains of a process, and the folder's tag.
final class FolderLock: Sendable {
    /// A locked file.
    private struct Part: Sendable {
        let file: SharedDescriptor
        let path: String

        /// Opens and locks a file; `nil` while another owner has locked it.
        init?(_ path: String, opening flags: CInt, _ lock: CInt) throws(Errno) {
            self.path = path
            file = SharedDescriptor(
                owning: try checked("open") { unsafe edge_open(path, flags | O_CLOEXEC | O_NOFOLLOW, 0o600) }
            )
            // flock(2) locks the open file description, so that a second store in this process is refused, too.
            guard try retrying("flock", { flock(file.number, lock | LOCK_NB) }) != nil else { return nil }
        }

        /// Whether the locked file is still the one at its path.
        var isInPlace: Bool {
            var held = stat()
            var found = stat()
            guard unsafe fstat(file.number, &held) == 0, unsafe stat(path, &found) == 0 else { return false }
            return held.st_ino == found.st_ino && held.st_dev == found.st_dev
        }

        var isFolder: Bool {
            var status = stat()
            return unsafe fstat(file.number, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
        }
    }

    private let parts: [Part]

    /// Takes the lock; `nil` while another owner holds it.
    ///
    /// - Parameter held: a lock on the same folder, whose files that are still in place stay locked.
    init?(of folder: DiskFolder, renewing held: FolderLock? = nil) throws(Errno) {
        var parts: [Part] = []
        for path in [folder.lock, folder.tag] {
            if let part = held?.parts.first(where: { $0.path == path && $0.isInPlace }) {
                parts.append(part)
                continue
            }
            do throws(Errno) {
                guard let part = try Part(path, opening: O_RDWR | O_CREAT, LOCK_EX) else { return nil }
                parts.append(part)
            } catch {
                // A tag that another user owns, for example, cannot be locked.
                guard path == folder.tag else { throw error }
            }
        }
        self.parts = parts
    }

    /// Takes the lock shared, for reading the folder; `nil` while a daemon holds it.
    ///
    /// - Throws: `Errno`; `ENOENT` where there is nothing to lock, and `EISDIR` for a folder, which no daemon can lock.
    init?(sharing folder: DiskFolder) throws(Errno) {
        var parts: [Part] = []
        for path in [folder.lock, folder.tag] {
            do throws(Errno) {
                guard let part = try Part(path, opening: O_RDONLY | O_NONBLOCK, LOCK_SH) else { return nil }
                guard !part.isFolder else { throw Errno(EISDIR, "open") }
                parts.append(part)
            } catch {
                guard path == folder.tag || error.code == ENOENT else { throw error }
            }
        }
        guard !parts.isEmpty else { throw Errno(ENOENT, "open") }
        self.parts = parts
    }

    /// Whether the locked files are still those at their paths.
    var isInPlace: Bool { parts.allSatisfy(\.isInPlace) }
}
