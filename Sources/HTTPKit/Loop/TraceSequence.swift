import HTTPSemantics

/// Generates trace ids for requests without one: unique across loops and processes, and nearly free.
struct TraceSequence {
    private let seed: UInt64
    private var count: UInt64 = 0

    /// Creates a sequence.
    ///
    /// - Parameter seed: a random number, so that no two loops generate the same ids.
    init(seed: UInt64) { self.seed = seed }

    /// The next context.
    @inline(__always)
    mutating func next() -> TraceContext {
        count &+= 1
        // An odd factor is invertible, so ids are distinct, and it hides the number of requests.
        return TraceContext(high: seed, low: count &* 0x9E37_79B9_7F4A_7C15 ^ seed)
    }
}
