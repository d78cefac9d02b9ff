import Glibc
import LinuxSystem

/// A tmpfs for a single test.
package final class SmallMount: Sendable {
    /// Whether this process may mount file systems.
    package static let isPossible: Bool = {
        guard geteuid() == 0, let mount = try? SmallMount(bytes: 1 << 20) else { return false }
        return !mount.path.isEmpty
    }()

    private let folder: TemporaryFolder
    /// The mount point.
    package let path: String
    private let hidden = Lock(0)

    /// Mounts an empty file system of a given size.
    package init(bytes: Int) throws {
        folder = try TemporaryFolder()
        path = folder.path + "/mount"
        try checked("mkdir") { unsafe mkdir(path, 0o755) }
        try Self.mount(path, flags: 0, "size=\(bytes)")
    }

    deinit {
        for _ in 0...hidden.withLock({ $0 }) { _ = unsafe umount2(path, CInt(MNT_DETACH)) }
    }

    /// Changes the size; fails with EINVAL if the contents are larger.
    package func resize(bytes: Int) throws { try Self.mount(path, flags: MS_REMOUNT, "size=\(bytes)") }

    /// Remounts the file system read-only; fails with EBUSY while a file is open for writing.
    package func setReadOnly(_ isReadOnly: Bool) throws {
        try Self.mount(path, flags: MS_REMOUNT | (isReadOnly ? MS_RDONLY : 0), "")
    }

    /// Covers the file system with an empty, read-only one.
    package func hide() throws {
        try Self.mount(path, flags: MS_RDONLY, "size=65536")
        hidden.withLock { $0 += 1 }
    }

    /// Removes the cover of `hide`.
    package func unhide() throws {
        try checked("umount") { unsafe umount2(path, CInt(MNT_DETACH)) }
        hidden.withLock { $0 -= 1 }
    }

    private static func mount(_ path: String, flags: Int, _ options: String) throws(Errno) {
        try checked("mount") { unsafe Glibc.mount("tmpfs", path, "tmpfs", UInt(flags), options) }
    }
}
