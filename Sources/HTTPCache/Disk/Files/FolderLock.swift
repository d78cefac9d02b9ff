import CLinux
import Glibc
import LinuxSystem

/// An advisory lock on a store's folder, held for the object's lifetime; the kernel releases it when the process ends.
final class FolderLock: Sendable {
    private let file: SharedDescriptor
    private let path: String

    /// Takes the lock; `nil` while another owner holds it.
    init?(path: String) throws(Errno) {
        self.path = path
        file = SharedDescriptor(
            owning: try checked("open") { unsafe edge_open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600) }
        )
        // flock(2) locks the open file description, so that a second store in this process is refused, too.
        guard try retrying("flock", { flock(file.number, LOCK_EX | LOCK_NB) }) != nil else { return nil }
    }

    /// Takes the lock shared, for reading the folder; `nil` while a daemon holds it.
    ///
    /// - Throws: `Errno`; `ENOENT` where there is no lock file.
    init?(sharing path: String) throws(Errno) {
        self.path = path
        file = SharedDescriptor(
            owning: try checked("open") { unsafe edge_open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0) }
        )
        guard try retrying("flock", { flock(file.number, LOCK_SH | LOCK_NB) }) != nil else { return nil }
    }

    /// Whether the locked file is still the one at its path.
    var isInPlace: Bool {
        var held = stat()
        var found = stat()
        guard unsafe fstat(file.number, &held) == 0, unsafe stat(path, &found) == 0 else { return false }
        return held.st_ino == found.st_ino && held.st_dev == found.st_dev
    }
}
