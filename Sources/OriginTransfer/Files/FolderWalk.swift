import CLinux
import Glibc
package import LinuxSystem

/// Opens a file below a folder without openat2(2), which some sandboxes block: systemd with `RestrictSUIDSGID=` (implied by
/// `DynamicUser=`), and older container runtimes.
///
/// Walks the path component by component and resolves symbolic links itself, so no path leaves the folder. As with
/// `RESOLVE_BENEATH`, an absolute link or a `..` above the folder fails with `EXDEV`. All folders on the path stay open during the
/// walk, so `..` returns to the folder that the walk came from even if folders are moved meanwhile. Confined to one thread.
package struct FolderWalk: ~Copyable {
    /// The maximum number of links, equal to the kernel's `MAXSYMLINKS`.
    private static let mostLinks = 40

    private let flags: CInt
    /// The open folders, from the root to the current one.
    private var folders: [SharedDescriptor]
    /// The remaining components in reverse order.
    private var pending: [String] = []
    private var links = 0

    private init(root: SharedDescriptor, flags: CInt) {
        folders = [root]
        self.flags = flags
    }

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - path: relative to the folder, without NUL.
    ///   - flags: flags of open(2), without `O_CREAT`.
    /// - Throws: the error of open(2), `ELOOP` for too many links, or `EXDEV` for a path that leaves the folder.
    package static func open(_ path: String, below root: SharedDescriptor, flags: CInt) throws(Errno)
        -> SharedDescriptor
    {
        var walk = FolderWalk(root: root, flags: flags)
        try walk.push(path)
        return try walk.run()
    }

    private mutating func run() throws(Errno) -> SharedDescriptor {
        while let component = pending.popLast() {
            switch component {
            case "", ".": continue
            case "..": try leave()
            default: if let file = try enter(component) { return file }
            }
        }
        // The path names a folder.
        return try Self.open(".", in: folder, flags)
    }

    private var folder: SharedDescriptor { folders[folders.count - 1] }

    /// Moves one folder up, never above the root.
    private mutating func leave() throws(Errno) {
        guard folders.count > 1 else { throw Errno(EXDEV, "openat") }
        folders.removeLast()
    }

    /// Enters a folder or follows a link; returns the opened file if the component was the last.
    private mutating func enter(_ name: String) throws(Errno) -> SharedDescriptor? {
        let isLast = pending.isEmpty
        do {
            let found = try Self.open(name, in: folder, isLast ? flags : edge_O_PATH | O_DIRECTORY | O_CLOEXEC)
            if isLast { return found }
            folders.append(found)
        } catch {
            // With O_NOFOLLOW a link fails with ELOOP, or with ENOTDIR if O_DIRECTORY is set.
            guard error.code == ELOOP || error.code == ENOTDIR, let target = Self.target(of: name, in: folder) else {
                throw error
            }
            try follow(target)
        }
        return nil
    }

    private mutating func follow(_ target: String) throws(Errno) {
        links += 1
        guard links <= Self.mostLinks else { throw Errno(ELOOP, "openat") }
        try push(target)
    }

    private mutating func push(_ path: String) throws(Errno) {
        guard !path.utf8.isEmpty else { throw Errno(ENOENT, "openat") }
        guard path.utf8.first != UInt8(ascii: "/") else { throw Errno(EXDEV, "openat") }
        guard path.utf8.count < PATH_MAX else { throw Errno(ENAMETOOLONG, "openat") }
        pending += path.split(separator: "/", omittingEmptySubsequences: false).reversed().map(String.init)
    }

    private static func open(_ name: String, in folder: SharedDescriptor, _ flags: CInt) throws(Errno)
        -> SharedDescriptor
    {
        SharedDescriptor(
            owning: try checked("openat") { unsafe edge_openat(folder.number, name, flags | O_NOFOLLOW, 0) }
        )
    }

    /// Returns a symbolic link's target; `nil` for other files and for targets that are not UTF-8.
    private static func target(of name: String, in folder: SharedDescriptor) -> String? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlinkat(folder.number, name, &bytes, bytes.count)
        guard count > 0 else { return nil }
        return String(validating: bytes[..<count], as: UTF8.self)
    }
}
