import LinuxSystem

/// The requests of raw sources that are with their origins: which may be waited for, and whose answers must not be kept.
///
/// Any thread.
final class RawFlights: Sendable {
    /// One of them.
    final class Flight: Sendable {
        struct State: Sendable {
            /// Whether what is stored was invalidated meanwhile: the answer may be older than that.
            var isTainted = false
            var isOver = false
            var waiters: [@Sendable () -> Void] = []
        }

        let key: CacheKey
        let subject: FlightSubject
        /// Whether others wait for its answer.
        let isShared: Bool
        let state = Lock(State())

        init(_ request: RawRequest, isShared: Bool) {
            key = request.key
            subject = FlightSubject(request.origin)
            self.isShared = isShared
        }

        /// Whether its answer may be kept.
        var mayKeep: Bool { state.withLock { !$0.isTainted } }
    }

    /// What a request has to do.
    enum Admission {
        /// Ask the origin.
        case begin(Flight)
        /// Nothing: it is told when another request's answer is there.
        case wait
    }

    private let flights = Lock<[CacheKey: [Flight]]>([:])
    private let waiters: Int

    /// - Parameter waiters: the most requests that wait for one.
    init(waiters: Int) { self.waiters = waiters }

    /// Begins a flight that nobody waits for.
    func begin(_ request: RawRequest) -> Flight { begin(request, isShared: false) }

    /// Begins a flight, or waits for one that is under way.
    func join(_ request: RawRequest, wake: @escaping @Sendable () -> Void) -> Admission {
        let flight = Flight(request, isShared: true)
        // One look and one step: of two that come together one begins and the other waits.
        let found = flights.withLock { flights -> Flight? in
            if let found = flights[request.key]?.first(where: \.isShared) { return found }
            flights[request.key, default: []].append(flight)
            return nil
        }
        guard let found else { return .begin(flight) }
        let limit = waiters
        let waits = found.state.withLock { state -> Bool in
            guard !state.isOver, !state.isTainted, state.waiters.count < limit else { return false }
            state.waiters.append(wake)
            return true
        }
        return waits ? .wait : .begin(begin(request, isShared: true))
    }

    /// Begins a refresh in the background; `nil` while another request asks for the same.
    func beginAlone(_ request: RawRequest) -> Flight? {
        let flight = Flight(request, isShared: true)
        let isFirst = flights.withLock { flights -> Bool in
            guard flights[request.key]?.contains(where: \.isShared) != true else { return false }
            flights[request.key, default: []].append(flight)
            return true
        }
        return isFirst ? flight : nil
    }

    /// Ends a flight and wakes who waits.
    func end(_ flight: Flight) {
        flights.withLock { flights in
            flights[flight.key]?.removeAll { $0 === flight }
            if flights[flight.key]?.isEmpty == true { flights[flight.key] = nil }
        }
        let waiters = flight.state.withLock { state -> [@Sendable () -> Void] in
            state.isOver = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for wake in waiters { wake() }
    }

    /// Lets nothing be kept of what is under way for a URL.
    func taint(_ key: CacheKey) { taint { $0.key == key } }

    /// Lets nothing be kept of what is under way and belongs to a purge, or may yet turn out to.
    func taint(_ selection: PurgeSelection) {
        taint { selection.covers($0.subject) != false }
    }

    private func taint(_ condition: (Flight) -> Bool) {
        let found = flights.withLock { $0.values.flatMap { $0.filter(condition) } }
        for flight in found { flight.state.withLock { $0.isTainted = true } }
    }

    private func begin(_ request: RawRequest, isShared: Bool) -> Flight {
        let flight = Flight(request, isShared: isShared)
        flights.withLock { $0[request.key, default: []].append(flight) }
        return flight
    }
}
