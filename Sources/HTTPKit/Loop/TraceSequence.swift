import HTTPSemantics

/// Ids for requests that come without one: unlike each other and those of other loops and processes, and nearly for free.
struct TraceSequence {
    private let seed: UInt64
    private var count: UInt64 = 0

    /// - Parameter seed: random, so that no two loops of any two processes count through the same ids.
    init(seed: UInt64) { self.seed = seed }

    /// The next one.
    @inline(__always)
    mutating func next() -> TraceContext {
        count &+= 1
        // An odd factor: no two counts meet, and nobody reads off how many requests there were.
        return TraceContext(high: seed, low: count &* 0x9E37_79B9_7F4A_7C15 ^ seed)
    }
}
