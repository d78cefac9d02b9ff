package import HTTPSemantics
import LinuxSystem
import Synchronization

/// A coalescer: requests for a key that is already being worked on join its flight and share its value or failure.
///
/// The daemon has two pools, comparable to SDWebImage's downloader operations with several handlers: one for variants (equal
/// variants share a transform) and one for originals (different variants share a download). Any thread; no lock is held during
/// a callback.
package final class TaskPool<Value: Sendable, Failure: CacheFailure>: Sendable {
    /// A waiter's callback, with the shared outcome and how it is delivered to this waiter.
    package typealias Waiter = @Sendable (_ outcome: Result<Value, Failure>, _ delivery: Delivery) -> Void

    private struct State: Sendable {
        var flights: [CacheKey: Flight<Value, Failure>] = [:]
        /// Flights that cannot be joined any more, but that purges still affect.
        var detached: [ObjectIdentifier: Flight<Value, Failure>] = [:]
        /// Purges in progress.
        var purges: [PurgeSelection] = []

        /// Detaches all flights that a purge selects, or may select; returns them together with those that already were.
        mutating func take(_ selection: PurgeSelection) -> [Flight<Value, Failure>] {
            for flight in flights.values where flight.isAbout(selection) != false { detach(flight) }
            return detached.values.filter { $0.isAbout(selection) != false }
        }

        mutating func detach(_ flight: Flight<Value, Failure>) {
            flights[flight.key] = nil
            detached[ObjectIdentifier(flight)] = flight
        }
    }

    private let state = Lock(State())
    private let waiterLimit: Atomic<Int>
    private let maximumFlights: Int

    /// Creates an empty pool.
    ///
    /// - Parameters:
    ///   - maximumWaiters: the number of waiters per flight; above it, as many again may join of accounts that have at most half of it.
    ///     Further ones fail with `.overloaded`.
    ///   - maximumFlights: the maximum number of concurrent flights; further ones fail with `.overloaded`.
    package init(maximumWaiters: Int, maximumFlights: Int) {
        waiterLimit = Atomic(maximumWaiters)
        self.maximumFlights = maximumFlights
    }

    /// Sets the maximum number of waiters per flight; applies to new waiters.
    package func setMaximumWaiters(_ limit: Int) { waiterLimit.store(limit, ordering: .relaxed) }

    /// The number of flights in progress.
    package var count: Int { state.withLock { $0.flights.count + $0.detached.count } }

    /// The flights in progress, in no order.
    var flightsInProgress: [Flight<Value, Failure>] {
        state.withLock { Array($0.flights.values) + Array($0.detached.values) }
    }

    /// The flight that requests for a key would join.
    func flight(for key: CacheKey) -> Flight<Value, Failure>? { state.withLock { $0.flights[key] } }

    /// Joins the flight for a key, or starts one.
    ///
    /// - Parameters:
    ///   - key: the flight's cache key.
    ///   - subject: what purges match the flight against.
    ///   - account: the client account that the waiter's place is charged to; `nil` for none.
    ///   - deadline: when the outcome becomes useless to the waiter.
    ///   - priority: how urgent it is for that client.
    ///   - claims: the clients for which the waiter waits; `nil` for the account alone. The queue of the work may serve it in the
    ///     turn of any of them.
    ///   - early: what the waiter does with a value that the flight announces before its end.
    ///   - waiter: called exactly once, on the thread that ends the flight or announces a value, unless the subscription is
    ///     cancelled first.
    ///   - start: starts the work of a new flight; called on this thread, before this function returns. It must ensure that
    ///     `Flight.finish` is called, and may set with `Flight.onAbandon` what happens when the last waiter has left.
    /// - Returns: the waiter's subscription; it need not be retained.
    @discardableResult
    package func join(
        _ key: CacheKey,
        about subject: PurgeSubject? = nil,
        account: String? = nil,
        deadline: SharedDeadline = .none,
        priority: RequestPriority = .background,
        claims: SharedClaims? = nil,
        early: EarlyDelivery<Value> = .none,
        waiter: @escaping Waiter,
        start: (Flight<Value, Failure>) -> Void
    ) -> Subscription {
        let entry = FlightWaiter<Value, Failure>(
            waiter,
            early: early,
            account: account,
            priority: priority,
            claims: claims,
            deadline: deadline
        )
        let admission = state.withLock { state in admit(entry, to: key, about: subject, of: &state) }
        switch admission {
        case .joined(let subscription, let announced, let isNews):
            if isNews { subscription.waitersChanged() }
            if case .also(let observe) = early, let announced { observe(announced) }
            return subscription
        case .announced(let value):
            Flight<Value, Failure>.deliver(.success(value), to: waiter, isCollapsed: true)
            return Subscription {}
        case .started(let flight, let subscription):
            start(flight)
            return subscription
        case .refused(let reason):
            Flight<Value, Failure>.refuse(waiter, reason)
            return Subscription {}
        }
    }

    /// Starts a flight that other requests cannot join; purges still affect it.
    ///
    /// - Returns: the waiter's subscription.
    @discardableResult
    package func startAlone(
        _ key: CacheKey,
        about subject: PurgeSubject? = nil,
        account: String? = nil,
        deadline: SharedDeadline = .none,
        priority: RequestPriority = .background,
        early: EarlyDelivery<Value> = .none,
        waiter: @escaping Waiter,
        start: (Flight<Value, Failure>) -> Void
    ) -> Subscription {
        let entry = FlightWaiter<Value, Failure>(
            waiter,
            early: early,
            account: account,
            priority: priority,
            deadline: deadline
        )
        let admission = state.withLock { state -> Admission<Value, Failure> in
            guard let flight = newFlight(key, about: subject, in: &state, isAlone: true) else {
                return .refused("too many requests are in progress")
            }
            return .started(flight, flight.addFirst(entry))
        }
        guard case .started(let flight, let subscription) = admission else {
            Flight<Value, Failure>.refuse(waiter, "too many requests are in progress")
            return Subscription {}
        }
        start(flight)
        return subscription
    }

    private func admit(
        _ waiter: FlightWaiter<Value, Failure>,
        to key: CacheKey,
        about subject: PurgeSubject?,
        of state: inout State
    ) -> Admission<Value, Failure> {
        if let flight = state.flights[key] {
            switch flight.add(waiter, limit: waiterLimit.load(ordering: .relaxed)) {
            case .added(let subscription, let announced, let isNews):
                return .joined(subscription, announced, isNews: isNews)
            case .announced(let value): return .announced(value)
            case .full: return .refused("too many requests are waiting for this response")
            case .ended: break  // It is about to leave the pool: start another flight.
            }
        }
        guard let flight = newFlight(key, about: subject, in: &state) else {
            return .refused("too many responses are in progress")
        }
        return .started(flight, flight.addFirst(waiter))
    }

    /// Adds a new flight to the pool; returns `nil` if the pool is full.
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

    /// Starts a flight that runs to its end without waiters; does nothing if the key has a flight already or the pool is full.
    func startUnlessUnderWay(
        _ key: CacheKey,
        about subject: PurgeSubject? = nil,
        start: (Flight<Value, Failure>) -> Void
    ) {
        let flight = state.withLock { state -> Flight<Value, Failure>? in
            guard state.flights[key] == nil else { return nil }
            return newFlight(key, about: subject, in: &state)
        }
        guard let flight else { return }
        _ = flight.addFirst(FlightWaiter({ _, _ in }))
        start(flight)
    }

    /// Prevents further joins of a flight: later requests for its key start a new one.
    package func detach(_ flight: Flight<Value, Failure>) {
        state.withLock { state in
            if state.flights[flight.key] === flight { state.detach(flight) }
        }
    }

    /// Prevents further joins of all flights in progress; what they store is not affected.
    package func detachAll() {
        state.withLock { state in
            for flight in state.flights.values { state.detach(flight) }
        }
    }

    /// Begins a purge: flights that it selects, including those that start before `endPurge`, finish for their waiters only.
    ///
    /// Once this function has returned, none of them stores anything, so what they have stored can be removed.
    /// - Parameter cause: a flight that is not affected, because its own response causes the purge.
    /// - Returns: the number of flights in progress that the purge definitely selects.
    package func beginPurge(_ selection: PurgeSelection, except cause: Flight<Value, Failure>? = nil) -> Int {
        let purged = state.withLock { state in
            state.purges.append(selection)
            return state.take(selection)
        }
        for flight in purged where flight !== cause { flight.purge(selection) }
        return purged.count { $0.isAbout(selection) == true }
    }

    /// Ends a purge that `beginPurge` began: later requests start new flights, whose results are stored.
    package func endPurge(_ selection: PurgeSelection) {
        state.withLock { state in
            if let index = state.purges.firstIndex(of: selection) { state.purges.remove(at: index) }
            // Flights started meanwhile may have read purged content.
            _ = state.take(selection)
        }
    }

    /// Removes an ended flight; an abandoned one may already have been replaced by a newer flight for the same key.
    func remove(_ flight: Flight<Value, Failure>) {
        state.withLock { state in
            if state.flights[flight.key] === flight { state.flights[flight.key] = nil }
            state.detached[ObjectIdentifier(flight)] = nil
        }
    }
}

/// What becomes of a waiter.
private enum Admission<Value: Sendable, Failure: CacheFailure> {
    /// - Parameter isNews: whether the work's turn may be another one now.
    case joined(Subscription, Value?, isNews: Bool)
    case announced(Value)
    case started(Flight<Value, Failure>, Subscription)
    case refused(String)
}

/// One waiter's membership in a flight; cancelling it detaches only that waiter.
package final class Subscription: Sendable {
    private let leave: @Sendable () -> Void
    private let changed: @Sendable () -> Void

    package init(_ leave: @escaping @Sendable () -> Void, changed: @escaping @Sendable () -> Void = {}) {
        self.leave = leave
        self.changed = changed
    }

    /// Reports that the clients have changed for which the waiter waits.
    package func waitersChanged() { changed() }

    /// Detaches the waiter, which is not called afterwards unless its flight is already delivering its outcome.
    package func cancel() { leave() }
}
