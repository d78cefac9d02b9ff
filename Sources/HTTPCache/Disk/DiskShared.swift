import LinuxSystem
import Synchronization

/// State shared by a store's callers, readers and writer; each member is thread-safe by itself.
final class DiskShared: Sendable {
    let configuration: DiskStore.Configuration
    let folder: DiskFolder
    let queue: DiskWriteQueue
    let readers: DiskReaderPool
    let touches: DiskTouches
    let failures: DiskFailures
    let removals = DiskRemovals()
    let verified: VerifiedBodies
    let seed: DiskSeed?
    /// The totals as of the writer's last transaction.
    let totals = Lock(DiskTotals())
    /// The position in the log of purges as of the writer's last transaction.
    let position = Lock<PurgePosition?>(nil)
    private let counters = Lock(DiskStatistics())
    private let condition: Monitor<DiskHealth>
    /// Whether the writer has the folder open, also while it is short of space.
    let isOpen = Lock(false)
    private let bounds: Lock<DiskLimits>
    private let uses = Atomic<Int64>(0)
    private let deletions = Lock(Observer())
    /// Damaged files of the seed that were reported.
    private let reported = Lock(Set<String>())
    private static let mostReported = 1024

    /// A structure, because a lock that holds a function itself wraps it in another one with each access.
    private struct Observer: Sendable {
        var call: (@Sendable (DeletedFiles) -> Void)?
    }

    /// Creates the state; opens no file.
    init(_ configuration: DiskStore.Configuration, seed: DiskSeed? = nil) {
        self.configuration = configuration
        self.seed = seed
        condition = Monitor(configuration.path.isEmpty ? .off : .healthy)
        bounds = Lock(configuration.limits)
        folder = DiskFolder(path: configuration.path)
        queue = DiskWriteQueue(maximumBytes: configuration.queueBytes, maximumCount: configuration.queueCount)
        readers = DiskReaderPool(path: folder.index)
        verified = VerifiedBodies(capacity: configuration.verifiedCount)
        touches = DiskTouches(capacity: configuration.touchCount)
        failures = DiskFailures(
            keptCapacity: configuration.pendingFailureCount,
            discardedCapacity: configuration.pendingFailureCount + configuration.failureCount
        )
    }

    /// The store's current health.
    var health: DiskHealth {
        get { condition.withLock { $0 } }
        set {
            let isNews = condition.update(wakingAll: true) { condition in
                defer { condition = newValue }
                return (condition == .healthy) != (newValue == .healthy)
                    || (condition == .waiting) != (newValue == .waiting)
            }
            if isNews { configuration.healthChanged?(newValue) }
        }
    }

    /// Blocks until no other process is about to release the folder.
    ///
    /// - Parameter nanoseconds: the longest wait.
    /// - Returns: whether that is so.
    func waitForFolder(nanoseconds: Int64) -> Bool {
        condition.wait(nanoseconds: nanoseconds) { $0 == .waiting ? nil : () } != nil
    }

    /// The current limits; the writer applies a change from its next step on.
    var limits: DiskLimits {
        get { bounds.withLock { $0 } }
        set { bounds.withLock { $0 = newValue } }
    }

    /// A use now, ordered after all earlier ones.
    func nextUse() -> DiskIndex.Use {
        let order = uses.add(1, ordering: .relaxed).newValue
        return DiskIndex.Use(order: order, wallSeconds: configuration.time.wallSeconds)
    }

    /// Continues the numbering of uses after that of an index.
    func continueUses(after last: Int64) {
        // The number of a damaged row must leave room for later ones.
        uses.max(min(last, .max / 2), ordering: .relaxed)
    }

    /// Sets whom to tell about deleted files.
    func observeDeletions(_ observer: @escaping @Sendable (DeletedFiles) -> Void) {
        deletions.withLock { $0.call = observer }
    }

    /// Tells the observer, outside of any lock.
    func noteDeleted(_ files: DeletedFiles) { deletions.withLock { $0.call }?(files) }

    /// Counts and reports a damaged content file, which is about to be removed; one of the seed, which stays, is reported once.
    func noteDamage(_ path: String) {
        count { $0.corruptions += 1 }
        let isInSeed = configuration.seed.map { path.hasPrefix($0 + "/") } ?? false
        if isInSeed, !reported.withLock({ $0.count < Self.mostReported && $0.insert(path).inserted }) { return }
        configuration.fileDamaged?(path)
    }

    /// Changes the counters.
    func count(_ body: (inout DiskStatistics) -> Void) {
        counters.withLock { body(&$0) }
    }

    /// All statistics.
    ///
    /// Totals and counters are each consistent in themselves.
    var statistics: DiskStatistics {
        var result = counters.withLock { $0 }
        let totals = totals.withLock { $0 }
        for diskClass in DiskClass.allCases {
            result[diskClass].entries = totals[diskClass].entries
            result[diskClass].bytes = totals[diskClass].bytes
        }
        for (part, count) in totals.parts {
            result.namespaces[part.namespace, default: DiskStatistics.Namespace()].add(part.diskClass, count)
        }
        (result.queuedWrites, result.queuedBytes) = queue.load
        return result
    }
}
