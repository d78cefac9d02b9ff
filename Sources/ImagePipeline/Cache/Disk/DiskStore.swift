import LinuxSystem

/// The second tier: originals and variants as files, indexed by SQLite, within a quota each (SDWebImage: `SDDiskCache`).
///
/// Reads block and belong on read-lane threads; writes only queue and may come from anywhere. One writer thread does all
/// writing, evicting and clearing up. The store is never the cause of an error: what cannot be read is a miss, what cannot be
/// written is dropped, counted and told by `health`.
package final class DiskStore: Sendable {
    let shared: DiskShared

    /// Opens the folder and starts the writer; returns within milliseconds whatever the folder holds.
    ///
    /// A folder that cannot be used now gives a degraded store, which tries again by itself.
    /// - Throws: `DiskStoreError` where trying again cannot help.
    package init(_ configuration: Configuration) throws(DiskStoreError) {
        var seed: DiskSeed?
        if let path = configuration.seed { seed = try DiskSeed(path: path, files: configuration.files) }
        shared = DiskShared(configuration, seed: seed)
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

    /// Whether the store does its work, and why not; any thread.
    package var health: DiskHealth { shared.health }

    /// What the store holds and has done; any thread.
    package var statistics: DiskStatistics { shared.statistics }

    /// Writes what is queued, ends the writer and unlocks the folder; blocks.
    ///
    /// Later reads miss, later writes are dropped.
    package func close() {
        shared.queue.close()
        shared.queue.waitForEnd()
    }
}
