import Synchronization

/// Counts the results of deferred AVIFs; any thread.
package final class DeferredStatistics: Sendable {
    /// The end of a deferred AVIF.
    package enum End: Int, Sendable, CaseIterable {
        /// The AVIF replaced the WebP.
        case swapped
        /// The AVIF was not smaller, and the WebP stays permanently.
        case larger
        /// The AVIF could not be made, and the WebP stays permanently.
        case failed
        /// The job ended for a reason outside the picture (a purge, a lost worker, a shutdown); a later request tries again.
        case abandoned
        /// The queue was full; a later request tries again.
        case dropped
    }

    private let standIns = Atomic<UInt64>(0)
    private let ends: [End: Counter]

    private final class Counter: Sendable {
        let count = Atomic<UInt64>(0)
    }

    init() {
        ends = Dictionary(uniqueKeysWithValues: End.allCases.map { ($0, Counter()) })
    }

    /// Number of stand-ins made.
    package var made: UInt64 { standIns.load(ordering: .relaxed) }

    /// The number of AVIFs with an end.
    package subscript(end: End) -> UInt64 { ends[end]?.count.load(ordering: .relaxed) ?? 0 }

    func noteMade() { standIns.add(1, ordering: .relaxed) }
    func note(_ end: End) { ends[end]?.count.add(1, ordering: .relaxed) }
}
