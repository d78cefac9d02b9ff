import CSQLite
import Glibc
import LinuxSystem

/// Why the writer could not do something.
enum DiskFault: Error, CustomStringConvertible {
    case index(SQLiteError)
    case file(Errno)
    /// The bytes are not what their record says: this object's fault, the disk is well.
    case body(String)
    /// Storing would leave less of the file system than others are to have; bytes.
    case space(free: Int, minimum: Int)
    /// The folder cannot be had at all.
    case refused(DiskStoreError)

    /// Whether only a new index helps.
    var isCorruption: Bool {
        if case .index(let error) = self { error.isCorruption } else { false }
    }

    /// Whether the file system, or what of it we may use, is full.
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
            "\(free) bytes are free on the file system, and cache.min-free is \(minimum)"
        case .refused(let error): error.description
        }
    }

    /// Runs a call on the index, its errors as faults.
    static func index<Result>(_ body: () throws(SQLiteError) -> Result) throws(DiskFault) -> Result {
        do throws(SQLiteError) { return try body() } catch { throw .index(error) }
    }

    /// Runs a call on files, its errors as faults.
    static func file<Result>(_ body: () throws(Errno) -> Result) throws(DiskFault) -> Result {
        do throws(Errno) { return try body() } catch { throw .file(error) }
    }
}
