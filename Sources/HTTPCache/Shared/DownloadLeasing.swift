import LinuxSystem

/// Lets the nodes of a cluster take turns at downloading an original that none of them has.
///
/// Advice, never a dependency: on any failure of the leases, the caller is told to download, as if it were alone. Only a `look` that
/// does not call back leaves a request without an answer.
package protocol DownloadLeasing: Sendable {
    /// The longest wait for another node, in nanoseconds.
    var longestWait: Int64 { get }

    /// Asks whether this node is to download an original; any thread, returns immediately.
    ///
    /// While another node downloads it, the answer waits, for as long as a lease lasts at most.
    ///
    /// - Parameters:
    ///   - look: looks the original up in the shared store, where another node may have written it, and calls back with what it has
    ///     found; any thread, must not block. Only `completion` follows a look-up that finds something.
    ///   - completion: called once, on any thread; must not block. Not called if `look` does not call back.
    func take<Found: Sendable>(
        original key: CacheKey,
        look: @escaping @Sendable (@escaping @Sendable (Found?) -> Void) -> Void,
        completion: @escaping @Sendable (DownloadTurn<Found>) -> Void
    )
}

/// Whether this node is to download an original.
package enum DownloadTurn<Found: Sendable>: Sendable {
    /// It is; other nodes may wait until the lease ends.
    case own(DownloadLease)
    /// It is; nobody waits for it.
    case free
    /// It is not: this is what another node has downloaded.
    case found(Found)
}

/// The right to download an original while other nodes wait; any thread.
///
/// It runs out by itself after a time that the leases state.
package final class DownloadLease: Sendable {
    /// How a lease has ended.
    package enum End: Hashable, Sendable {
        /// The original is in the shared store.
        case shared
        /// The original may not be shared.
        case unshareable
        /// The origin has failed.
        case failed
        /// The node has given up, or could not write to the store.
        case abandoned
    }

    private enum State {
        case held
        case passedOn
        case over
    }

    private let state = Lock(State.held)
    private let release: @Sendable (End) -> Void

    /// Creates a lease.
    ///
    /// - Parameter release: called once when it ends, on any thread; must not block.
    package init(release: @escaping @Sendable (End) -> Void) { self.release = release }

    deinit { end(.abandoned) }

    /// Ends the lease; only the first call has an effect.
    package func end(_ end: End) {
        let isFirst = state.withLock { state in
            defer { state = .over }
            return state != .over
        }
        if isFirst { release(end) }
    }

    /// Lets the end of the write to the shared store end the lease: from now on, `giveUp` has no effect.
    package func passOn() { state.withLock { if $0 == .held { $0 = .passedOn } } }

    /// Ends the lease, unless it was passed on.
    package func giveUp(_ end: End) {
        if state.withLock({ $0 == .held }) { self.end(end) }
    }
}
