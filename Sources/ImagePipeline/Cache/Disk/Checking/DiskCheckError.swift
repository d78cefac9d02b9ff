package import LinuxSystem

/// Why a folder cannot be checked at all; nothing has been changed.
package enum DiskCheckError: Error, Hashable, Sendable, CustomStringConvertible {
    case absent(path: String)
    case notFolder(path: String)
    /// Nothing in the folder says that it is a cache of ours.
    case noCache(path: String)
    case locked(path: String)
    case newerVersion(path: String, found: Int, supported: Int)
    case unreadable(path: String, Errno)
    /// What failed while the folder was being checked or repaired.
    case failed(path: String, reason: String)

    package var description: String {
        switch self {
        case .absent(let path): "there is no folder \(path); cache.path or --cache-path names it"
        case .notFolder(let path): "\(path) is no folder"
        case .noCache(let path):
            "\(path) is no cache folder of Edgeprint (no tag, no index of ours); nothing was touched"
        case .locked(let path): "a daemon has the cache folder \(path): stop it first"
        case .newerVersion(let path, let found, let supported):
            "\(path) has layout \(found), written by a newer release; this one knows up to \(supported); nothing was touched"
        case .unreadable(let path, let errno): "\(path) cannot be read: \(errno)"
        case .failed(let path, let reason): "\(path): \(reason)"
        }
    }
}
