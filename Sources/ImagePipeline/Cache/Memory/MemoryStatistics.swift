/// What a memory cache holds and has done since it was made.
package struct MemoryStatistics: Hashable, Sendable {
    /// Sum of the entries' costs, bookkeeping included.
    package var bytes = 0
    package var entries = 0
    package var hits = 0
    package var misses = 0
    /// Entries that went to make room.
    package var evictions = 0
    /// Values not taken because one alone was too large.
    package var refusals = 0

    /// Creates zeros.
    package init() {}

    /// Adds another part's numbers.
    package static func += (left: inout MemoryStatistics, right: MemoryStatistics) {
        left.bytes += right.bytes
        left.entries += right.entries
        left.hits += right.hits
        left.misses += right.misses
        left.evictions += right.evictions
        left.refusals += right.refusals
    }
}
