/// The times of leases, in nanoseconds.
package struct LeaseTimes: Sendable {
    /// How long a lease lasts unless it ends before, and the longest wait for another node's.
    ///
    /// Long enough for most downloads, and short enough to be waited for if the node that has the lease is killed.
    package var lease: Int64 = 2_000_000_000
    /// The longest wait for an answer of the engine.
    package var budget: Int64 = 50_000_000
    /// The first pause between two looks at another node's lease, which doubles up to the last.
    package var looks: ClosedRange<Int64> = 25_000_000...200_000_000
    /// The time after which a connection attempt has failed.
    package var connect: Int64 = 1_000_000_000
    /// The first pause before a connection is made again, which doubles up to the last.
    package var pause: ClosedRange<Int64> = 50_000_000...1_000_000_000
    /// How long an original that may not be shared is downloaded without a lease.
    package var separation: Int64 = 60_000_000_000

    /// Creates the times of production.
    package init() {}
}

/// What has come of asking for a lease.
package enum LeaseResult: String, Sendable, Hashable, CaseIterable {
    /// This node has downloaded the original while others waited.
    case taken
    /// Another node has downloaded it, and this one has it from the shared store.
    case found
    /// The origin has failed another node, or the original may not be shared: this node has downloaded it itself.
    case failed
    /// Another node has taken too long: this node has downloaded it itself.
    case expired
    /// The engine cannot be reached or is slow, or too many leases are in progress: this node has downloaded it at once.
    case unavailable
}
