package import LinuxSystem
import Synchronization

/// How far this node has followed the log of purges that it shares with other nodes, and what that means for stored responses.
///
/// One per daemon; any thread. Outside of a cluster it is `alone`: everything that is stored may be used.
///
/// A node is *in touch* for a second after it has heard that it knows all purges. The purges of one second may then be
/// missing from what it has stored. A node that is out of touch treats responses as stale that it began to request more than a second ago.
package final class PurgeProgress: Sendable {
    /// What a node out of touch does with stored responses.
    package enum OutOfTouch: String, Hashable, Sendable, CaseIterable {
        /// It serves them.
        case serve
        /// It has them validated first.
        case revalidate
        /// It fails requests that would need them.
        case fail
    }

    /// Whether a stored response may be used.
    package enum Trust: Hashable, Sendable {
        /// As if there were no other nodes.
        case full
        /// Only after validation: purges are unknown that preceded the present era.
        case otherEra
        /// Only after validation: the node is out of touch.
        case outOfTouch
        /// Not at all: the node is out of touch.
        case refused
    }

    /// The progress of a node outside of a cluster.
    package static let alone = PurgeProgress(isInCluster: false, OutOfTouch.serve, PurgePosition(), SystemTime())

    /// Nanoseconds for which a node that hears nothing may lack purges.
    package static let patience: Int64 = 1_000_000_000

    /// Whether the node shares a log with others.
    package let isInCluster: Bool
    package let policy: OutOfTouch
    private let time: any TimeSource
    private let applied: Atomic<Int64>
    private let currentEra: Atomic<Int64>
    /// When the node ceases to be in touch, in nanoseconds of the monotonic clock.
    private let deadline = Atomic(Int64.min)

    private struct State: Sendable {
        var place: PurgePlace
        var history: PurgeHistory
    }

    private let state: Lock<State>

    /// Creates the progress of a node that has not been in touch since its start.
    ///
    /// - Parameters:
    ///   - position: what the disk has; `nil` if it has nothing. The follower of the log must then raise a floor.
    ///   - time: the clock by which requests to origins are stamped.
    package convenience init(_ policy: OutOfTouch, from position: PurgePosition?, time: any TimeSource) {
        self.init(isInCluster: true, policy, position ?? PurgePosition(), time)
    }

    private init(isInCluster: Bool, _ policy: OutOfTouch, _ position: PurgePosition, _ time: any TimeSource) {
        self.isInCluster = isInCluster
        self.policy = policy
        self.time = time
        applied = Atomic(position.place.sequence)
        currentEra = Atomic(position.era)
        state = Lock(State(place: position.place, history: PurgeHistory(after: position.place.sequence)))
    }

    // MARK: Reading

    /// The number of the last applied entry: readers see nothing that it or an earlier one selects.
    package var sequence: Int64 { applied.load(ordering: .acquiring) }

    /// The number of the era, which changes whenever purges may have been missed.
    ///
    /// Numbers are random: a node that has lost its position must not meet the era of an old file again.
    package var era: Int64 { currentEra.load(ordering: .acquiring) }

    /// The last applied place.
    package var place: PurgePlace { state.withLock { $0.place } }

    /// The stamp of a request to an origin that begins now.
    package var stamp: PurgeStamp {
        guard isInCluster else { return PurgeStamp() }
        let beganAt = time.monotonic
        return state.withLock { PurgeStamp(sequence: $0.place.sequence, era: era, beganAt: beganAt) }
    }

    /// Whether the node has heard within a second that it knows all purges.
    package var isInTouch: Bool { !isInCluster || time.monotonic < deadline.load(ordering: .acquiring) }

    /// Whether what cannot be validated may be used: stored failures, and what other nodes say.
    package var trustsUnvalidated: Bool { policy == .serve || isInTouch }

    /// Whether a stored response may be used, as far as purges are concerned.
    ///
    /// - Parameter arrival: when the request arrived, in nanoseconds of the monotonic clock; `nil` for now. A request that has waited
    ///   for a response may use it if that was begun within a second before the request's arrival.
    package func trust(_ stamp: PurgeStamp, asOf arrival: Int64? = nil) -> Trust {
        guard isInCluster else { return .full }
        let isKnown = stamp.era == currentEra.load(ordering: .acquiring)
        let trust: Trust = isKnown ? .full : .otherEra
        guard policy != .serve else { return trust }
        let now = arrival ?? time.monotonic
        guard now >= deadline.load(ordering: .acquiring) else { return trust }
        if isKnown, now < stamp.beganAt &+ Self.patience { return .full }
        return policy == .fail ? .refused : .outOfTouch
    }

    /// The key of a flight that requests may join now.
    ///
    /// Out of touch, requests share only what was begun within a second before their arrival.
    package func flightKey(_ key: CacheKey) -> CacheKey {
        guard isInCluster, policy != .serve else { return key }
        let now = time.monotonic
        guard now >= deadline.load(ordering: .acquiring) else { return key }
        return CacheKey(hashing: "out-of-touch/1\n\(key)\n\(now / Self.patience)")
    }

    /// Whether a purge after a place selects a subject, for responses that other nodes have stored.
    ///
    /// - Returns: `nil` if it is not known: the place is too long ago, or too little is known of the subject.
    package func covers(_ subject: PurgeSubject, since sequence: Int64) -> Bool? {
        state.withLock { $0.history.covers(subject, since: sequence) }
    }

    // MARK: Following the log

    /// Records that the node knows all purges up to a moment.
    ///
    /// - Parameter deadline: when that knowledge ends, in nanoseconds of the monotonic clock: `patience` after the log was asked.
    package func stayInTouch(until deadline: Int64) { self.deadline.store(deadline, ordering: .releasing) }

    /// Records that the node may lack purges from now on.
    package func loseTouch() { deadline.store(.min, ordering: .releasing) }

    /// Continues at the position that is on disk, for a process that could not read it when it was started.
    ///
    /// To be called before the node follows the log.
    ///
    /// - Returns: whether that is news.
    @discardableResult
    package func resume(_ position: PurgePosition) -> Bool {
        guard position.place.sequence > sequence else { return false }
        begin(era: position.era, at: position.place)
        return true
    }

    /// Records a purge that has been applied: readers see nothing of what it selects.
    package func advance(to place: PurgePlace, by purge: Purge) {
        guard isInCluster else { return }
        state.withLock { state in
            state.history.append(purge.selection, at: place.sequence)
            state.place = place
            applied.store(place.sequence, ordering: .releasing)
        }
    }

    /// Begins an era after purges were missed: responses that were requested before need validation once.
    ///
    /// - Parameter place: where the node continues in the log.
    package func begin(era: Int64, at place: PurgePlace) {
        guard isInCluster else { return }
        state.withLock { state in
            state.history = PurgeHistory(after: place.sequence)
            state.place = place
            currentEra.store(era, ordering: .releasing)
            applied.store(place.sequence, ordering: .releasing)
        }
    }

    /// A number for a new era.
    package var nextEra: Int64 {
        var era: Int64
        repeat { era = Int64.random(in: 1...Int64.max) } while era == self.era
        return era
    }
}
