package import LinuxSystem

/// Why a disk store cannot be had at all: the operator must act.
///
/// Everything else is a degraded store and no error.
package enum DiskStoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Another process, or another store of this one, works on the folder.
    case locked(path: String)
    /// A later release wrote the folder; it is left as it is.
    case newerVersion(path: String, found: Int, supported: Int)
    /// The folder holds things, and nothing says that they are a cache.
    case foreignFolder(path: String)
    /// The folder of `cache.seed` cannot be used.
    case seed(path: String, reason: String)
    /// The system refuses the writer's thread.
    case noThread(Errno)

    package var description: String {
        switch self {
        case .locked(let path):
            "the cache folder \(path) is in use by another daemon"
        case .newerVersion(let path, let found, let supported):
            "the cache folder \(path) has layout \(found), written by a newer release; this one knows up to \(supported)"
        case .foreignFolder(let path):
            "the folder \(path) has contents that are no cache of ours (no CACHEDIR.TAG, no index); name an empty folder"
        case .seed(let path, let reason):
            "cache.seed: \(path): \(reason)"
        case .noThread(let errno):
            "no thread for the cache's writer: \(errno)"
        }
    }
}
