import Synchronization

/// Counts the results of images that are encoded again in the background; any thread.
package final class DeferredStatistics: Sendable {
    /// The end of a job.
    package enum End: Int, Sendable, CaseIterable {
        /// The new encoding replaced the stored one.
        case swapped
        /// The new encoding was not smaller, and the stored one stays permanently.
        case larger
        /// The image could not be encoded again, and the stored one stays permanently.
        case failed
        /// The job ended for a reason outside the picture (a purge, a lost worker, a shutdown); a later request tries again.
        case abandoned
        /// The queue was full; a later request tries again.
        case dropped
    }

    private let standIns = Atomic<UInt64>(0)
    private let saved = Atomic<UInt64>(0)
    private let ends: [End: Counter]

    private final class Counter: Sendable {
        let count = Atomic<UInt64>(0)
    }

    init() {
        ends = Dictionary(uniqueKeysWithValues: End.allCases.map { ($0, Counter()) })
    }

    /// Number of stand-ins made.
    package var made: UInt64 { standIns.load(ordering: .relaxed) }

    /// How many bytes fewer the new encodings have than those that they replaced.
    package var savedBytes: UInt64 { saved.load(ordering: .relaxed) }

    /// The number of jobs with an end.
    package subscript(end: End) -> UInt64 { ends[end]?.count.load(ordering: .relaxed) ?? 0 }

    func noteMade() { standIns.add(1, ordering: .relaxed) }
    func note(saved bytes: Int) { saved.add(UInt64(clamping: bytes), ordering: .relaxed) }
    func note(_ end: End) { ends[end]?.count.add(1, ordering: .relaxed) }
}
