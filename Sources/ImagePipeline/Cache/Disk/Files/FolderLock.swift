import CLinux
import Glibc
import LinuxSystem

/// An advisory lock on a store's folder, held as long as this object lives; the kernel drops it when the process dies.
final class FolderLock: Sendable {
    private let file: SharedDescriptor
    private let path: String

    /// Takes the lock; `nil` while someone else has it.
    init?(path: String) throws(Errno) {
        self.path = path
        file = SharedDescriptor(
            owning: try checked("open") { unsafe edge_open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600) }
        )
        // flock(2): of the open file, so that a second store in one process is refused as well.
        guard try retrying("flock", { flock(file.number, LOCK_EX | LOCK_NB) }) != nil else { return nil }
    }

    /// Shares the lock with others who only look, without changing the folder; `nil` while a daemon has it.
    ///
    /// - Throws: `Errno`, `ENOENT` where nobody has ever locked the folder.
    init?(sharing path: String) throws(Errno) {
        self.path = path
        file = SharedDescriptor(
            owning: try checked("open") { unsafe edge_open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0) }
        )
        guard try retrying("flock", { flock(file.number, LOCK_SH | LOCK_NB) }) != nil else { return nil }
    }

    /// Whether the file that is locked is still the one at its path.
    var isInPlace: Bool {
        var held = stat()
        var found = stat()
        guard unsafe fstat(file.number, &held) == 0, unsafe stat(path, &found) == 0 else { return false }
        return held.st_ino == found.st_ino && held.st_dev == found.st_dev
    }
}
