import LinuxSystem
import Synchronization

/// Flights under way, by key: whoever asks for a key that is being worked on joins it and shares its value, and its failure.
///
/// The daemon has two, as SDWebImage's downloader operations with their many handlers: one for variants (equal variants share a
/// transform) and one for originals (different variants share a download). Any thread; no lock is held while a callback runs.
package final class TaskPool<Value: Sendable>: Sendable {
    /// A waiter's callback: the shared outcome, and whether this waiter joined a flight that was already under way.
    package typealias Waiter = @Sendable (_ outcome: Result<Value, PipelineError>, _ collapsed: Bool) -> Void

    private let flights = Lock<[CacheKey: Flight<Value>]>([:])
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
    package var count: Int { flights.withLock { $0.count } }

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
        about subject: FlightSubject? = nil,
        waiter: @escaping Waiter,
        start: (Flight<Value>) -> Void
    ) -> Subscription {
        switch flights.withLock({ flights in admit(waiter, to: key, about: subject, of: &flights) }) {
        case .joined(let subscription):
            return subscription
        case .started(let flight, let subscription):
            start(flight)
            return subscription
        case .refused(let reason):
            waiter(.failure(.overloaded(reason)), false)
            return Subscription {}
        }
    }

    private func admit(
        _ waiter: @escaping Waiter,
        to key: CacheKey,
        about subject: FlightSubject?,
        of flights: inout [CacheKey: Flight<Value>]
    ) -> Admission<Value> {
        if let flight = flights[key] {
            switch flight.add(waiter, limit: waiterLimit.load(ordering: .relaxed)) {
            case .added(let subscription): return .joined(subscription)
            case .full: return .refused("too many requests wait for this picture")
            case .ended: break  // Over, and about to leave the pool: start anew.
            }
        }
        guard flights.count < maximumFlights else { return .refused("too many pictures are being made") }
        let flight = Flight<Value>(key: key, subject: subject, pool: self)
        flights[key] = flight
        return .started(flight, flight.addFirst(waiter))
    }

    /// Has all flights about something end for those who wait already: who asks from now on starts anew.
    ///
    /// - Returns: how many there were.
    func purge(_ selection: PurgeSelection) -> Int {
        let purged = flights.withLock { flights -> [Flight<Value>] in
            let matching = flights.filter { entry in
                guard let subject = entry.value.subject else { return false }
                return selection.contains(origin: subject.origin, source: subject.source)
            }
            for key in matching.keys { flights[key] = nil }
            return Array(matching.values)
        }
        for flight in purged { flight.purge() }
        return purged.count
    }

    /// Takes an ended flight out; one that was abandoned may have been replaced by a newer one of the same key.
    func remove(_ flight: Flight<Value>) {
        flights.withLock { flights in
            if flights[flight.key] === flight { flights[flight.key] = nil }
        }
    }
}

private enum Admission<Value: Sendable> {
    case joined(Subscription)
    case started(Flight<Value>, Subscription)
    case refused(String)
}

/// One waiter's part in a flight: cancelling it detaches that waiter alone.
package final class Subscription: Sendable {
    private let leave: @Sendable () -> Void

    init(_ leave: @escaping @Sendable () -> Void) {
        self.leave = leave
    }

    /// Detaches the waiter; it will not be called unless the flight is ending at this moment.
    package func cancel() { leave() }
}
