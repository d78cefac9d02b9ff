import CLinux
import Glibc
package import LinuxSystem

/// Opens a file below a folder without openat2(2), which sandboxes take away: systemd does for `RestrictSUIDSGID=`, which
/// `DynamicUser=` implies, and older container runtimes.
///
/// Goes from component to component and follows symbolic links itself, so that no path leaves the folder: as with
/// RESOLVE_BENEATH, an absolute link and a `..` above the folder are `EXDEV`. Each folder on the way stays open meanwhile,
/// so that `..` leads back to where the walk came from even when somebody moves folders around. Confined to one thread.
package struct FolderWalk: ~Copyable {
    /// As the kernel's MAXSYMLINKS.
    private static let mostLinks = 40

    private let flags: CInt
    /// From the root to where the walk stands.
    private var folders: [SharedDescriptor]
    /// Components that are still to be walked; the next one is the last.
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
    ///   - flags: of open(2), without O_CREAT.
    /// - Throws: the error of open(2), with `ELOOP` for too many links, and `EXDEV` for a path that leads out.
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
        // The path ends in a folder.
        return try Self.open(".", in: folder, flags)
    }

    private var folder: SharedDescriptor { folders[folders.count - 1] }

    /// One folder up, never above the root.
    private mutating func leave() throws(Errno) {
        guard folders.count > 1 else { throw Errno(EXDEV, "openat") }
        folders.removeLast()
    }

    /// Steps into a folder, or takes a link's target for the way; returns what the path names when it was the last component.
    private mutating func enter(_ name: String) throws(Errno) -> SharedDescriptor? {
        let isLast = pending.isEmpty
        do {
            let found = try Self.open(name, in: folder, isLast ? flags : edge_O_PATH | O_DIRECTORY | O_CLOEXEC)
            if isLast { return found }
            folders.append(found)
        } catch {
            // O_NOFOLLOW answers ELOOP for a link, and ENOTDIR with O_DIRECTORY.
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

    /// What a symbolic link says; `nil` for anything else, and for what is not UTF-8.
    private static func target(of name: String, in folder: SharedDescriptor) -> String? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlinkat(folder.number, name, &bytes, bytes.count)
        guard count > 0 else { return nil }
        return String(validating: bytes[..<count], as: UTF8.self)
    }
}
