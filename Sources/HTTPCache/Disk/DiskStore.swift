package import LinuxSystem

/// The disk tier: originals and variants as files with an index in SQLite, each class within a quota (SDWebImage: `SDDiskCache`).
///
/// Reads block and belong on read-lane threads. Writes only queue, on any thread; one writer thread writes, evicts and
/// reconciles. The store never causes an error: an entry that cannot be read is a miss, one that cannot be written is dropped
/// and counted, and `health` gives the reason.
package final class DiskStore: Sendable {
    let shared: DiskShared

    /// Opens the folder and starts the writer; returns within milliseconds, regardless of the folder's size.
    ///
    /// Only an index of an earlier layout takes longer, once: it is migrated first, in time proportional to its rows.
    ///
    /// If the folder is unusable for now, the store is degraded and retries by itself. With an empty path, the store is off: it
    /// behaves like a closed one.
    /// - Throws: `DiskStoreError` if retrying cannot help.
    package init(_ configuration: Configuration) throws(DiskStoreError) {
        var seed: DiskSeed?
        if let path = configuration.seed { seed = try DiskSeed(path: path, files: configuration.files) }
        shared = DiskShared(configuration, seed: seed)
        guard !configuration.path.isEmpty else {
            shared.queue.close()
            shared.queue.end()
            return
        }
        let shared = shared
        let opened = Monitor<Result<Void, DiskStoreError>?>(nil)
        do throws(Errno) {
            try SystemThread.start(name: "cache-writer") {
                DiskWriter(shared).run { result in opened.update { $0 = result } }
            }
        } catch {
            throw .noThread(error)
        }
        guard let result = opened.wait(until: { $0 }) else { return }
        try result.get()
    }

    deinit {
        shared.queue.close()
    }

    /// Whether the store is working; any thread.
    package var health: DiskHealth { shared.health }

    /// Whether the folder is open, so that a purge which the queue has no room for can be tried again; any thread.
    package var isOpen: Bool { shared.isOpen.withLock { $0 } }

    /// Blocks while a predecessor has the folder.
    ///
    /// - Parameter nanoseconds: the longest wait.
    /// - Returns: whether the store has the folder now, or cannot have it for another reason.
    package func waitForFolder(nanoseconds: Int64) -> Bool { shared.waitForFolder(nanoseconds: nanoseconds) }

    /// What the store holds, and its counters; any thread.
    package var statistics: DiskStatistics { shared.statistics }

    package func observeDeletions(_ observer: @escaping @Sendable (DeletedFiles) -> Void) {
        shared.observeDeletions(observer)
    }

    /// Commits queued writes, stops the writer and unlocks the folder; blocks.
    ///
    /// Later reads miss; later writes are dropped.
    package func close() {
        shared.queue.close()
        shared.queue.waitForEnd()
    }
}

/// The store is the pipeline's disk tier.
extension DiskStore: DiskStoring {}

/// Why a disk store cannot be opened until an operator acts.
///
/// Any other failure only degrades the store.
package enum DiskStoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Another process, or another store in this one, uses the folder.
    case locked(path: String)
    /// A later release wrote the folder, which is left unchanged.
    case newerVersion(path: String, found: Int, supported: Int)
    /// The folder has content that does not identify itself as a cache.
    case foreignFolder(path: String)
    /// The folder of `cache.seed` cannot be used.
    case seed(path: String, reason: String)
    /// The writer's thread cannot be created.
    case noThread(Errno)

    package var description: String {
        switch self {
        case .locked(let path):
            "the cache folder \(path) is in use by another daemon"
        case .newerVersion(let path, let found, let supported):
            "the cache folder \(path) has layout \(found) of a newer release; this one supports up to \(supported)"
        case .foreignFolder(let path):
            "the folder \(path) is not empty and not a cache (no CACHEDIR.TAG, no index); use an empty folder"
        case .seed(let path, let reason):
            "cache.seed: \(path): \(reason)"
        case .noThread(let errno):
            "cannot create the cache's writer thread: \(errno)"
        }
    }
}
