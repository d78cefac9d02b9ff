/// Which keys went lately, by fingerprint: a hash table of a bounded number of buckets that forgets by itself.
///
/// A bucket of four ghosts takes a new one in the place of its oldest, and a ghost counts only until as many others have come as
/// the table may remember. 32 bits of a fingerprint are compared: one lookup in a thousand million remembers what never was.
struct GhostTable: Sendable {
    private struct Ghost {
        /// 0 for nobody.
        var tag: UInt32 = 0
        /// The table's clock when it came.
        var time: UInt32 = 0
    }

    private static let ways = 4

    /// A power of two of buckets, one after the other.
    private var ghosts = [Ghost](repeating: Ghost(), count: 64)
    /// Ghosts that came, modulo 2³².
    private var clock: UInt32 = 0

    /// The most ghosts at a time.
    var capacity: Int { ghosts.count }

    /// Creates an empty table of 64 ghosts.
    init() {}

    /// Makes room for `count` ghosts; never shrinks.
    mutating func reserve(_ count: Int) {
        // A ghost's bucket in a table twice as large is its old one or as far behind the middle.
        while ghosts.count < count { ghosts += ghosts }
    }

    /// Remembers a key.
    mutating func insert(_ fingerprint: UInt64) {
        clock &+= 1
        let bucket = bucket(fingerprint)
        var place = bucket.lowerBound
        for index in bucket where age(ghosts[index]) > age(ghosts[place]) { place = index }
        ghosts[place] = Ghost(tag: tag(fingerprint), time: clock)
    }

    /// Forgets a key.
    ///
    /// - Returns: whether it was remembered, and is not too long gone for `limit` others that came since.
    mutating func remove(_ fingerprint: UInt64, limit: Int) -> Bool {
        let tag = tag(fingerprint)
        for index in bucket(fingerprint) where ghosts[index].tag == tag {
            let isRecent = age(ghosts[index]) < UInt32(clamping: limit)
            ghosts[index] = Ghost()
            return isRecent
        }
        return false
    }

    /// How many places are taken, for tests: O(n).
    var count: Int { ghosts.count { $0.tag != 0 } }

    private func age(_ ghost: Ghost) -> UInt32 { ghost.tag == 0 ? .max : clock &- ghost.time }

    private func tag(_ fingerprint: UInt64) -> UInt32 { max(1, UInt32(truncatingIfNeeded: fingerprint >> 32)) }

    private func bucket(_ fingerprint: UInt64) -> Range<Int> {
        let start = Int(truncatingIfNeeded: fingerprint & UInt64(ghosts.count / Self.ways - 1)) * Self.ways
        return start..<start + Self.ways
    }
}
