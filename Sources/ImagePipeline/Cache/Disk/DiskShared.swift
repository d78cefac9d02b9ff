import LinuxSystem
import Synchronization

/// What a store's front, its readers and its writer share; each member guards itself.
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
    /// The writer's totals after its last transaction.
    let totals = Lock(DiskTotals())
    private let counters = Lock(DiskStatistics())
    private let condition = Lock(DiskHealth.healthy)
    private let bounds: Lock<DiskLimits>
    private let uses = Atomic<Int64>(0)

    /// Creates the parts; opens nothing.
    init(_ configuration: DiskStore.Configuration, seed: DiskSeed? = nil) {
        self.configuration = configuration
        self.seed = seed
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

    /// The store's condition now.
    var health: DiskHealth {
        get { condition.withLock { $0 } }
        set {
            let isNews = condition.withLock { condition in
                defer { condition = newValue }
                return (condition == .healthy) != (newValue == .healthy)
            }
            if isNews { configuration.healthChanged?(newValue) }
        }
    }

    /// Bytes that a class may hold now.
    func quota(of diskClass: DiskClass) -> Int {
        bounds.withLock { $0[diskClass] }
    }

    /// How much the store may hold; the writer goes by others from its next step on.
    var limits: DiskLimits {
        get { bounds.withLock { $0 } }
        set { bounds.withLock { $0 = newValue } }
    }

    /// A use at this instant, later than all before it.
    func nextUse() -> DiskIndex.Use {
        let order = uses.add(1, ordering: .relaxed).newValue
        return DiskIndex.Use(order: order, wallSeconds: configuration.time.wallSeconds)
    }

    /// Lets uses go on above those of an index.
    func continueUses(after last: Int64) {
        uses.max(last, ordering: .relaxed)
    }

    /// Changes the numbers of work done.
    func count(_ body: (inout DiskStatistics) -> Void) {
        counters.withLock { body(&$0) }
    }

    /// All numbers; totals and work are each of one instant.
    var statistics: DiskStatistics {
        var result = counters.withLock { $0 }
        let totals = totals.withLock { $0 }
        for diskClass in DiskClass.allCases {
            result[diskClass].entries = totals[diskClass].entries
            result[diskClass].bytes = totals[diskClass].bytes
        }
        (result.queuedWrites, result.queuedBytes) = queue.load
        return result
    }
}
