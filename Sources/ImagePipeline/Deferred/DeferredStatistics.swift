import Synchronization

/// What became of AVIFs that were not made while somebody waited; any thread.
package final class DeferredStatistics: Sendable {
    /// How one ended.
    package enum End: Int, Sendable, CaseIterable {
        /// It took the place of the WebP that stood in.
        case swapped
        /// It was no smaller than the WebP, which stays for good.
        case larger
        /// It could not be made, and the WebP stays for good.
        case failed
        /// It was given up through no fault of the picture (a purge, a lost worker, an end of the daemon): tried when asked again.
        case abandoned
        /// Too many waited: tried when asked again.
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

    /// WebPs that were made to stand in.
    package var made: UInt64 { standIns.load(ordering: .relaxed) }

    /// How many ended so.
    package subscript(end: End) -> UInt64 { ends[end]?.count.load(ordering: .relaxed) ?? 0 }

    func noteMade() { standIns.add(1, ordering: .relaxed) }
    func note(_ end: End) { ends[end]?.count.add(1, ordering: .relaxed) }
}
