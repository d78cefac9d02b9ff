/// The fingerprints of recently evicted keys, in a hash table of fixed size.
///
/// A new ghost replaces the oldest of its bucket of four, and a ghost expires once as many others have been added as the table
/// may hold. 32 bits of a fingerprint are compared: about one lookup in 10⁹ is a false positive.
struct GhostTable: Sendable {
    private struct Ghost {
        /// 0 for an empty place.
        var tag: UInt32 = 0
        /// The table's clock when the ghost was added.
        var time: UInt32 = 0
    }

    private static let ways = 4

    /// The buckets, one after the other; their number is a power of two.
    private var ghosts = [Ghost](repeating: Ghost(), count: 64)
    /// Ghosts added, modulo 2³².
    private var clock: UInt32 = 0

    /// The maximum number of ghosts.
    var capacity: Int { ghosts.count }

    /// Creates an empty table of 64 ghosts.
    init() {}

    /// Makes room for `count` ghosts; never shrinks.
    mutating func reserve(_ count: Int) {
        // In a table twice as large, a ghost's bucket is its old one, or that plus the old size.
        while ghosts.count < count { ghosts += ghosts }
    }

    /// Adds a key.
    mutating func insert(_ fingerprint: UInt64) {
        clock &+= 1
        let bucket = bucket(fingerprint)
        var place = bucket.lowerBound
        for index in bucket where age(ghosts[index]) > age(ghosts[place]) { place = index }
        ghosts[place] = Ghost(tag: tag(fingerprint), time: clock)
    }

    /// Removes a key.
    ///
    /// - Returns: whether it was there, and at most `limit` others were added since.
    mutating func remove(_ fingerprint: UInt64, limit: Int) -> Bool {
        let tag = tag(fingerprint)
        for index in bucket(fingerprint) where ghosts[index].tag == tag {
            let isRecent = age(ghosts[index]) < UInt32(clamping: limit)
            ghosts[index] = Ghost()
            return isRecent
        }
        return false
    }

    /// The number of places taken, for tests; O(n).
    var count: Int { ghosts.count { $0.tag != 0 } }

    private func age(_ ghost: Ghost) -> UInt32 { ghost.tag == 0 ? .max : clock &- ghost.time }

    private func tag(_ fingerprint: UInt64) -> UInt32 { max(1, UInt32(truncatingIfNeeded: fingerprint >> 32)) }

    private func bucket(_ fingerprint: UInt64) -> Range<Int> {
        let start = Int(truncatingIfNeeded: fingerprint & UInt64(ghosts.count / Self.ways - 1)) * Self.ways
        return start..<start + Self.ways
    }
}
