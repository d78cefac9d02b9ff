import LinuxSystem
import Synchronization

/// Flights under way, by key: whoever asks for a key that is being worked on joins it and shares its value, and its failure.
///
/// The daemon has two, as SDWebImage's downloader operations with their many handlers: one for variants (equal variants share a
/// transform) and one for originals (different variants share a download). Any thread; no lock is held while a callback runs.
package final class TaskPool<Value: Sendable, Failure: CacheFailure>: Sendable {
    /// A waiter's callback: the shared outcome, and how it reaches this waiter.
    package typealias Waiter = @Sendable (_ outcome: Result<Value, Failure>, _ delivery: Delivery) -> Void

    private struct State: Sendable {
        var flights: [CacheKey: Flight<Value, Failure>] = [:]
        /// Flights that nobody joins any more, and that purges are about all the same.
        var detached: [ObjectIdentifier: Flight<Value, Failure>] = [:]
        /// Purges that are going on.
        var purges: [PurgeSelection] = []

        /// Takes all flights out that are about something, or may be.
        mutating func take(_ selection: PurgeSelection) -> [Flight<Value, Failure>] {
            let matching = flights.filter { $0.value.isAbout(selection) != false }
            for key in matching.keys { flights[key] = nil }
            return matching.values + detached.values.filter { $0.isAbout(selection) != false }
        }
    }

    private let state = Lock(State())
    private let waiterLimit: Atomic<Int>
    private let maximumFlights: Int

    /// Creates an empty pool.
    ///
    /// - Parameters:
    ///   - maximumWaiters: the most waiters of one flight; one more is refused with `.overloaded`.
    ///   - maximumFlights: the most flights at a time; one more is refused with `.overloaded`.
    package init(maximumWaiters: Int, maximumFlights: Int) {
        waiterLimit = Atomic(maximumWaiters)
        self.maximumFlights = maximumFlights
    }

    /// Allows another number of waiters of one flight, from the next one on.
    package func setMaximumWaiters(_ limit: Int) { waiterLimit.store(limit, ordering: .relaxed) }

    /// Flights under way.
    package var count: Int { state.withLock { $0.flights.count + $0.detached.count } }

    /// Joins the flight of a key, or starts one.
    ///
    /// - Parameters:
    ///   - key: what the flight is about.
    ///   - subject: the same for purging.
    ///   - waiter: called exactly once, on the thread that ends the flight, unless the subscription is cancelled first.
    ///   - start: does the work of a new flight; called on this thread, before this function returns. It must see to it that
    ///     `Flight.finish` is called, and may say with `Flight.onAbandon` how to give up when the last waiter has left.
    /// - Returns: the waiter's subscription; it need not be kept.
    @discardableResult
    package func join(
        _ key: CacheKey,
        about subject: PurgeSubject? = nil,
        waiter: @escaping Waiter,
        start: (Flight<Value, Failure>) -> Void
    ) -> Subscription {
        switch state.withLock({ state in admit(waiter, to: key, about: subject, of: &state) }) {
        case .joined(let subscription):
            return subscription
        case .started(let flight, let subscription):
            start(flight)
            return subscription
        case .refused(let reason):
            Flight<Value, Failure>.refuse(waiter, reason)
            return Subscription {}
        }
    }

    /// Starts a flight that nobody else joins, and that purges are about all the same.
    ///
    /// - Returns: the waiter's subscription.
    @discardableResult
    package func startAlone(
        _ key: CacheKey,
        about subject: PurgeSubject? = nil,
        waiter: @escaping Waiter,
        start: (Flight<Value, Failure>) -> Void
    ) -> Subscription {
        let admission = state.withLock { state -> Admission<Value, Failure> in
            guard let flight = newFlight(key, about: subject, in: &state, isAlone: true) else {
                return .refused("too many requests are under way")
            }
            return .started(flight, flight.addFirst(waiter))
        }
        guard case .started(let flight, let subscription) = admission else {
            Flight<Value, Failure>.refuse(waiter, "too many requests are under way")
            return Subscription {}
        }
        start(flight)
        return subscription
    }

    private func admit(
        _ waiter: @escaping Waiter,
        to key: CacheKey,
        about subject: PurgeSubject?,
        of state: inout State
    ) -> Admission<Value, Failure> {
        if let flight = state.flights[key] {
            switch flight.add(waiter, limit: waiterLimit.load(ordering: .relaxed)) {
            case .added(let subscription): return .joined(subscription)
            case .full: return .refused("too many requests wait for this picture")
            case .ended: break  // Over, and about to leave the pool: start anew.
            }
        }
        guard let flight = newFlight(key, about: subject, in: &state) else {
            return .refused("too many pictures are being made")
        }
        return .started(flight, flight.addFirst(waiter))
    }

    /// A new flight in the pool; `nil` when it is full.
    private func newFlight(
        _ key: CacheKey,
        about subject: PurgeSubject?,
        in state: inout State,
        isAlone: Bool = false
    ) -> Flight<Value, Failure>? {
        guard state.flights.count + state.detached.count < maximumFlights else { return nil }
        let flight = Flight<Value, Failure>(key: key, subject: subject, pool: self)
        for selection in state.purges { flight.purge(selection) }
        if isAlone {
            state.detached[ObjectIdentifier(flight)] = flight
        } else {
            state.flights[key] = flight
        }
        return flight
    }

    /// Starts a flight that ends though nobody waits for it; does nothing where one of the key is under way, or the pool is full.
    package func startUnlessUnderWay(
        _ key: CacheKey,
        about subject: PurgeSubject? = nil,
        start: (Flight<Value, Failure>) -> Void
    ) {
        let flight = state.withLock { state -> Flight<Value, Failure>? in
            guard state.flights[key] == nil else { return nil }
            return newFlight(key, about: subject, in: &state)
        }
        guard let flight else { return }
        _ = flight.addFirst { _, _ in }
        start(flight)
    }

    /// Lets nobody join a flight any more: who asks from now on starts anew.
    package func detach(_ flight: Flight<Value, Failure>) {
        state.withLock { state in
            guard state.flights[flight.key] === flight else { return }
            state.flights[flight.key] = nil
            state.detached[ObjectIdentifier(flight)] = flight
        }
    }

    /// Has all flights about something end for those who wait already, and those that start before `endPurge` as well.
    ///
    /// Returns when none of them keeps anything any more: what they have kept can be cleared away now, and stays away.
    /// - Returns: how many were under way that are certainly about it.
    package func beginPurge(_ selection: PurgeSelection) -> Int {
        let purged = state.withLock { state in
            state.purges.append(selection)
            return state.take(selection)
        }
        for flight in purged { flight.purge(selection) }
        return purged.count { $0.isAbout(selection) == true }
    }

    /// Ends what `beginPurge` has begun: who asks from now on starts anew, and what comes of that is kept.
    package func endPurge(_ selection: PurgeSelection) {
        state.withLock { state in
            if let index = state.purges.firstIndex(of: selection) { state.purges.remove(at: index) }
            // Those that have started meanwhile may have read what was there before.
            _ = state.take(selection)
        }
    }

    /// Takes an ended flight out; one that was abandoned may have been replaced by a newer one of the same key.
    func remove(_ flight: Flight<Value, Failure>) {
        state.withLock { state in
            if state.flights[flight.key] === flight { state.flights[flight.key] = nil }
            state.detached[ObjectIdentifier(flight)] = nil
        }
    }
}

private enum Admission<Value: Sendable, Failure: CacheFailure> {
    case joined(Subscription)
    case started(Flight<Value, Failure>, Subscription)
    case refused(String)
}

/// One waiter's part in a flight: cancelling it detaches that waiter alone.
package final class Subscription: Sendable {
    private let leave: @Sendable () -> Void

    package init(_ leave: @escaping @Sendable () -> Void) {
        self.leave = leave
    }

    /// Detaches the waiter; it will not be called unless the flight is ending at this moment.
    package func cancel() { leave() }
}
