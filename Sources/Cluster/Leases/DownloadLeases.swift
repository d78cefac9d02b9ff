package import HTTPCache
package import LinuxSystem

/// Leases of downloads in Redis or Valkey, for a cluster whose nodes own no originals.
///
/// Keys: `{NAME}:lease:KEY`, with the key of the original. All of them expire after `LeaseTimes.lease`.
/// One thread has a connection of its own, and connects again in the background after a failure. Without a connection `take` answers
/// at once, so that a dead engine costs what was waiting for it one budget, and later downloads nothing.
package final class DownloadLeases: DownloadLeasing {
    /// How many leases, and requests for leases, may be in progress; the rest download without.
    package static let limit = 1_024

    let location: LogLocation
    let commands: LeaseCommands
    let times: LeaseTimes
    let time: any TimeSource
    let state = Monitor(State())
    let interruption = LogInterruption()
    /// The random name of this run of the daemon, with which tokens begin.
    private let run: String

    /// What the callers share with the thread.
    struct State: Sendable {
        var isStopped = false
        var isConnected = false
        /// Requests to be sent.
        var takes: [LeaseRequest] = []
        /// Requests that wait for another node's download.
        var waits: [LeaseRequest] = []
        /// Ends to be sent, no more than `limit`: each has a place.
        var ends: [LeaseEnd] = []
        /// Leases and requests in progress.
        var active = 0
        /// The number of the last request.
        var number: UInt64 = 0
        /// Until when originals that may not be shared take no lease.
        var separate: [CacheKey: Int64] = [:]
        var results: [LeaseResult: Int] = [:]
    }

    /// Creates leases, which are unavailable before `start`.
    ///
    /// - Parameter name: the cluster's name, the same in all nodes.
    package init(
        location: LogLocation,
        name: String,
        times: LeaseTimes = LeaseTimes(),
        time: any TimeSource = SystemTime()
    ) {
        var random = SystemRandomNumberGenerator()
        (self.location, self.times, self.time) = (location, times, time)
        commands = LeaseCommands(name: name, lifetime: times.lease)
        run = LogMark.new(using: &random)
    }

    /// Starts the thread.
    ///
    /// - Throws: `Errno` if the system cannot create a thread.
    package func start() throws(Errno) { try SystemThread.start(name: "leases") { self.serve() } }

    /// Ends the thread as soon as possible, without waiting for it; leases run out by themselves.
    package func stop() {
        state.update(wakingAll: true) { $0.isStopped = true }
        interruption.interrupt()
    }

    /// Whether leases can be taken.
    package var isConnected: Bool { state.withLock { $0.isConnected } }

    /// How many requests for leases have ended in each way.
    package var results: [LeaseResult: Int] { state.withLock { $0.results } }

    package var longestWait: Int64 { times.lease }

    package func take<Found: Sendable>(
        original key: CacheKey,
        look: @escaping @Sendable (@escaping @Sendable (Found?) -> Void) -> Void,
        completion: @escaping @Sendable (DownloadTurn<Found>) -> Void
    ) {
        let now = time.monotonic
        let number: UInt64? = state.withLock { state in
            if let until = state.separate[key], until > now { return nil }
            guard state.isConnected, state.active < Self.limit else {
                state.results[.unavailable, default: 0] += 1
                return nil
            }
            state.active += 1
            state.number += 1
            return state.number
        }
        guard let number else { return completion(.free) }
        let place = LeasePlace { [state] in state.withLock { $0.active -= 1 } }
        let request = LeaseRequest(
            key: key,
            token: "\(run)-\(number)",
            place: place,
            asked: now,
            deadline: now + times.lease,
            pause: times.looks.lowerBound
        ) { [self] otherwise in
            look { found in
                guard let found else { return otherwise() }
                self.note(.found)
                completion(.found(found))
            }
        } proceed: { lease in
            completion(lease.map { DownloadTurn.own($0) } ?? .free)
        }
        ask(request)
    }

    /// Queues a request for the thread.
    func ask(_ request: LeaseRequest) {
        var request = request
        request.asked = time.monotonic
        let isTaken = state.update { [request] state in
            guard state.isConnected else { return false }
            state.takes.append(request)
            return true
        }
        if !isTaken { proceed(request, .unavailable) }
    }

    /// Ends a request without a lease.
    func proceed(_ request: LeaseRequest, _ result: LeaseResult) {
        note(result)
        request.proceed(nil)
    }

    /// Ends a request with a lease.
    ///
    /// - Parameter result: `unavailable` if it is not known whether the engine has granted it.
    func grant(_ request: LeaseRequest, _ result: LeaseResult) {
        note(result)
        let (key, token, place) = (request.key, request.token, request.place)
        request.proceed(
            DownloadLease { [self] end in
                self.end(LeaseEnd(key: key, token: token, end: end, time: self.time.monotonic, place: place))
            }
        )
    }

    private func end(_ end: LeaseEnd) {
        state.update { state in
            if end.end == .unshareable { state.separate(end.key, until: end.time + times.separation, at: end.time) }
            // Otherwise it runs out by itself.
            if !state.isStopped { state.ends.append(end) }
        }
    }

    private func note(_ result: LeaseResult) { state.withLock { $0.results[result, default: 0] += 1 } }
}

extension DownloadLeases.State {
    /// How many originals without leases are remembered.
    private static let separateLimit = 1_024

    fileprivate mutating func separate(_ key: CacheKey, until: Int64, at now: Int64) {
        if separate.count >= Self.separateLimit { separate = separate.filter { $0.value > now } }
        if separate.count >= Self.separateLimit { separate = [:] }
        separate[key] = until
    }
}

/// A request for a lease.
struct LeaseRequest: Sendable {
    let key: CacheKey
    /// The value of the lease, should it be taken; unique.
    let token: String
    let place: LeasePlace
    /// When it was queued for the engine the last time.
    var asked: Int64
    /// When it waits no longer for another node.
    let deadline: Int64
    /// The pause before the next look at another node's lease.
    var pause: Int64
    /// The time of that look.
    var next: Int64 = 0
    /// The value after which the shared store had nothing usable; `nil` before.
    var seen: String?
    /// Looks into the shared store: ends the request, or calls back if nothing is found.
    let look: @Sendable (_ otherwise: @escaping @Sendable () -> Void) -> Void
    /// Ends the request, with a lease or without one.
    let proceed: @Sendable (DownloadLease?) -> Void
}

/// The end of a lease, to be told to the engine.
struct LeaseEnd: Sendable {
    let key: CacheKey
    let token: String
    let end: DownloadLease.End
    /// When it ended.
    let time: Int64
    let place: LeasePlace
}

/// The place that a lease, or a request for one, takes among those in progress, until it is released.
final class LeasePlace: Sendable {
    private let leave: @Sendable () -> Void

    init(leave: @escaping @Sendable () -> Void) { self.leave = leave }

    deinit { leave() }
}
