import CLinux
import Glibc
package import LinuxSystem

/// The system calls that a disk store makes on content files; a protocol so that tests can make each of them fail.
///
/// The calls block, and run on the writer's thread and on read-lane threads. The index does its own I/O.
package protocol FileSystem: Sendable {
    /// Creates a folder; an existing one is not an error.
    func makeFolder(_ path: String) throws(Errno)
    /// Opens a file with close-on-exec; creates it readable by its owner, and by its group if the file system is set to.
    func open(_ path: String, flags: CInt) throws(Errno) -> SharedDescriptor
    /// Bytes of an open file.
    func size(of file: SharedDescriptor) throws(Errno) -> Int
    /// Reads up to `count` bytes at an offset; fewer, possibly zero, at the file's end.
    func read(_ file: SharedDescriptor, at offset: Int, count: Int) throws(Errno) -> [UInt8]
    /// Appends all bytes.
    func write(_ bytes: [UInt8], to file: SharedDescriptor) throws(Errno)
    /// Copies a file's first bytes without moving the source's offset.
    ///
    /// - Returns: bytes copied; fewer than `length` if the source ends sooner.
    func copy(_ source: SharedDescriptor, to file: SharedDescriptor, length: Int) throws(Errno) -> Int
    /// Attaches bytes to an open file, apart from its content; they move with the file.
    func attach(_ bytes: [UInt8], to file: SharedDescriptor) throws(Errno)
    /// The bytes attached to an open file; `nil` if there are none, or the file system has no room for any.
    func attachment(of file: SharedDescriptor) throws(Errno) -> [UInt8]?
    /// Renames a file, replacing the target.
    func rename(_ path: String, to target: String) throws(Errno)
    /// Gives a file another name in the same file system; an existing target is an error.
    func link(_ path: String, to target: String) throws(Errno)
    /// Gives an unnamed file (open(2), `O_TMPFILE`) a name, the mode of content files, and a descriptor that appends.
    ///
    /// - Parameter length: the file's length, in bytes.
    /// - Returns: `nil` if the file has a name, had one, has another length, or is in another file system; nothing has changed then.
    func name(_ file: SharedDescriptor, length: Int, _ path: String) throws(Errno) -> SharedDescriptor?
    /// Deletes a file; a missing one is not an error.
    func remove(_ path: String) throws(Errno)
    /// Deletes a folder; one that is missing or not empty is not an error, and is left alone.
    func removeFolder(_ path: String) throws(Errno)
    /// The names in a folder without `.` and `..`; empty for a missing folder.
    func list(_ path: String) throws(Errno) -> [String]
    /// Bytes of a folder's file system that this process may still use.
    func freeBytes(_ path: String) throws(Errno) -> Int
}

/// The real file system.
package struct SystemFiles: FileSystem {
    /// The extended attribute that holds attached bytes.
    private static let attribute = "user.edgeprint.trailer"
    /// Whether new files and folders are readable by their group, as far as the umask allows.
    private let isGroupReadable: Bool

    /// Creates the file system.
    package init(isGroupReadable: Bool = false) { self.isGroupReadable = isGroupReadable }

    package func makeFolder(_ path: String) throws(Errno) {
        do throws(Errno) {
            try checked("mkdir") { unsafe mkdir(path, isGroupReadable ? 0o750 : 0o700) }
        } catch {
            guard error.code == EEXIST else { throw error }
        }
    }

    private var mode: mode_t { isGroupReadable ? 0o640 : 0o600 }

    package func open(_ path: String, flags: CInt) throws(Errno) -> SharedDescriptor {
        SharedDescriptor(owning: try checked("open") { unsafe edge_open(path, flags | O_CLOEXEC, mode) })
    }

    package func size(of file: SharedDescriptor) throws(Errno) -> Int {
        var status = stat()
        try checked("fstat") { unsafe fstat(file.number, &status) }
        return Int(status.st_size)
    }

    package func read(_ file: SharedDescriptor, at offset: Int, count: Int) throws(Errno) -> [UInt8] {
        try FileCopy.read(file.number, at: offset, count: count)
    }

    package func freeBytes(_ path: String) throws(Errno) -> Int {
        var status = statvfs()
        try checked("statvfs") { unsafe statvfs(path, &status) }
        let (bytes, overflow) = Int(clamping: status.f_bavail).multipliedReportingOverflow(by: Int(status.f_frsize))
        return overflow ? .max : bytes
    }

    package func write(_ bytes: [UInt8], to file: SharedDescriptor) throws(Errno) {
        var done = 0
        while done < bytes.count {
            done += try checked("write") {
                unsafe bytes.withUnsafeBytes { bytes in
                    unsafe Glibc.write(file.number, bytes.baseAddress?.advanced(by: done), bytes.count - done)
                }
            }
        }
    }

    package func copy(_ source: SharedDescriptor, to file: SharedDescriptor, length: Int) throws(Errno) -> Int {
        try FileCopy(source: source.number, target: file.number, length: length).run()
    }

    package func attach(_ bytes: [UInt8], to file: SharedDescriptor) throws(Errno) {
        try checked("fsetxattr") {
            unsafe bytes.withUnsafeBytes {
                unsafe edge_fsetxattr(file.number, Self.attribute, $0.baseAddress, $0.count)
            }
        }
    }

    package func attachment(of file: SharedDescriptor) throws(Errno) -> [UInt8]? {
        do throws(Errno) {
            let size = try checked("fgetxattr") { unsafe edge_fgetxattr(file.number, Self.attribute, nil, 0) }
            var failure: Errno?
            let bytes = unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, filled in
                do throws(Errno) {
                    filled = try checked("fgetxattr") {
                        unsafe edge_fgetxattr(file.number, Self.attribute, buffer.baseAddress, size)
                    }
                } catch {
                    failure = error
                }
            }
            if let failure { throw failure }
            return bytes
        } catch {
            guard error.code == ENODATA || error.code == EOPNOTSUPP else { throw error }
            return nil
        }
    }

    package func rename(_ path: String, to target: String) throws(Errno) {
        try checked("rename") { unsafe Glibc.rename(path, target) }
    }

    package func link(_ path: String, to target: String) throws(Errno) {
        try checked("link") { unsafe Glibc.link(path, target) }
    }

    package func name(_ file: SharedDescriptor, length: Int, _ path: String) throws(Errno) -> SharedDescriptor? {
        var status = stat()
        try checked("fstat") { unsafe fstat(file.number, &status) }
        guard status.st_nlink == 0, Int(status.st_size) == length else { return nil }
        do throws(Errno) {
            try checked("linkat") {
                unsafe linkat(AT_FDCWD, "/proc/self/fd/\(file.number)", AT_FDCWD, path, AT_SYMLINK_FOLLOW)
            }
        } catch {
            // Memory files, and deleted ones; a name of a process that was killed.
            guard [EXDEV, ENOENT, EEXIST, EPERM, EOPNOTSUPP].contains(error.code) else { throw error }
            return nil
        }
        try checked("fchmod") { fchmod(file.number, mode) }
        return try open(path, flags: O_WRONLY | O_APPEND | O_NOFOLLOW)
    }

    package func remove(_ path: String) throws(Errno) {
        do throws(Errno) {
            try checked("unlink") { unsafe unlink(path) }
        } catch {
            guard error.code == ENOENT else { throw error }
        }
    }

    package func removeFolder(_ path: String) throws(Errno) {
        do throws(Errno) {
            try checked("rmdir") { unsafe rmdir(path) }
        } catch {
            guard [ENOENT, ENOTEMPTY, EEXIST].contains(error.code) else { throw error }
        }
    }

    package func list(_ path: String) throws(Errno) -> [String] {
        guard let folder = unsafe opendir(path) else {
            let error = Errno.current("opendir")
            if error.code == ENOENT { return [] }
            throw error
        }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        while let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
                unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
