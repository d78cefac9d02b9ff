import CSQLite
import Glibc
import LinuxSystem

/// A failure of the writer.
enum DiskFault: Error, CustomStringConvertible {
    case index(SQLiteError)
    case file(Errno)
    /// The bytes do not match their record: a fault of the object, not of the disk.
    case body(String)
    /// Storing would leave less than the minimum of bytes free.
    case space(free: Int, minimum: Int)
    /// The locked files are no longer those in the folder, so that another daemon can have locked it.
    case displaced
    /// The folder cannot be opened until an operator acts.
    case refused(DiskStoreError)

    /// Whether the index must be replaced.
    var isCorruption: Bool {
        if case .index(let error) = self { error.isCorruption } else { false }
    }

    /// Whether the locked files are not those in the folder.
    var isDisplaced: Bool {
        if case .displaced = self { true } else { false }
    }

    /// Whether the file system or the disk quota is full.
    var isFull: Bool {
        switch self {
        case .index(let error): error.primaryCode == SQLITE_FULL
        case .file(let errno): [ENOSPC, EDQUOT].contains(errno.code)
        default: false
        }
    }

    var description: String {
        switch self {
        case .index(let error): "index: \(error)"
        case .file(let errno): "files: \(errno)"
        case .body(let reason): reason
        case .space(let free, let minimum):
            "the file system has \(free) bytes free, less than cache.min-free (\(minimum))"
        case .displaced: "its lock or its tag was deleted or replaced; the folder is opened again"
        case .refused(let error): error.description
        }
    }

    /// A description of the folder's problem and its solution, for operators.
    func reason(folder: String) -> String {
        switch self {
        case .refused(let error): error.description
        case .file(let errno): "\(folder): \(errno)\(Self.advice(errno.code, errno.call))"
        case .index(let error): "\(folder): \(self)\(error.primaryCode == SQLITE_FULL ? Self.advice(ENOSPC) : "")"
        default: "\(folder): \(self)"
        }
    }

    /// What to do about a file system error; empty if unknown.
    private static func advice(_ code: CInt, _ call: String = "") -> String {
        let other = "set cache.path to another folder"
        return switch code {
        case ENOTDIR, EEXIST: "; the path is a file: remove it, or \(other)"
        case ENOENT where call == "mkdir": "; the folder cannot be created there: \(other)"
        case ENOENT: "; the folder or a part of it has disappeared: the daemon creates it again within seconds"
        case EACCES, EPERM: "; not writable by the service's user: chown the folder to it, or \(other)"
        case EROFS: "; the file system is read-only: remount it, or \(other)"
        case ENOSPC, EDQUOT: "; the file system is full: free space, or lower cache.originals and cache.variants"
        default: ""
        }
    }

    /// Runs a call on files and wraps its errors.
    static func file<Result>(_ body: () throws(Errno) -> Result) throws(DiskFault) -> Result {
        do throws(Errno) { return try body() } catch { throw .file(error) }
    }
}
