import LinuxSystem

/// The statistics of a transfer engine since its start: counters, and gauges of the current state.
package struct TransferStatistics: Hashable, Sendable {
    /// The result class of a load.
    package enum Outcome: String, Hashable, Sendable, CaseIterable {
        case fetched
        case notModified = "not-modified"
        /// A status without content that is used, below 500.
        case status
        /// A status from 500 on.
        case serverError = "server-error"
        case unreachable
        case timeout
        case `protocol`
        case refused
        case contentRefused = "content-refused"
        case tooLarge = "too-large"
        case overloaded
        case circuitOpen = "circuit-open"
        case suspended
        case cancelled
    }

    /// Microseconds summed over the requests whose response head was received; divide by `answered`.
    package struct Timing: Hashable, Sendable {
        /// Time in the daemon's queue before the request was sent.
        package var queued: Int64 = 0
        /// Until the name was resolved, from the start of the request.
        package var resolved: Int64 = 0
        /// Until the TCP connection was made, from the start; 0 for a reused connection.
        package var connected: Int64 = 0
        /// Until the TLS handshake ended, from the start; 0 without TLS or for a reused connection.
        package var secured: Int64 = 0
        /// Until the first byte of the response, from the start.
        package var firstByte: Int64 = 0
        /// Until the end of the transfer, from the start.
        package var total: Int64 = 0
    }

    /// Ended loads by result class.
    package var outcomes: [Outcome: Int] = [:]
    /// Requests started, including redirects.
    package var requests = 0
    /// Redirects followed.
    package var redirects = 0
    /// Requests repeated after a pause.
    package var retries = 0
    /// Bodies continued with the rest after they were cut off.
    package var resumptions = 0
    /// Loads that a mirror has answered.
    package var mirrored = 0
    /// Requests over a reused connection.
    package var reusedConnections = 0
    /// New connections.
    package var newConnections = 0
    /// Received bytes of bodies.
    package var bytes = 0
    /// Requests whose response head was received.
    package var answered = 0
    package var timing = Timing()
    package var phases = Phases()
    /// Circuit breakers opened.
    package var breakerOpenings = 0
    /// Loads refused because the breaker of their host was open.
    package var refusedByBreakers = 0
    /// Loads dropped from the full queue for more urgent or newer ones, or not accepted.
    package var dropped = 0
    /// Loads refused because they were expected to wait longer than the queue's time.
    package var refusedByWait = 0
    /// Loads that have waited longer than the queue's time, or could not end in time any more.
    package var expired = 0
    /// The breakers that are not closed.
    var pauses: [Pause] = []
    /// Gauge: active transfers.
    package var active = 0
    /// Gauge: loads that wait for a connection.
    package var waiting = 0
    /// Gauge: those of them that are not background work.
    package var waitingUrgent = 0
    /// Gauge: bytes of bodies that are arriving or in use, in memory and in the folder.
    package var bytesInFlight = 0

    /// The pause of a host whose breaker has opened.
    struct Pause: Hashable, Sendable {
        var source: String
        var origin: String
        /// Monotonic nanoseconds of its end.
        var until: Int64
    }

    /// Creates statistics with all counts 0.
    package init() {}
}

extension TransferStatistics.Outcome {
    /// Classifies a load's result.
    init(_ result: Result<TransferResponse, TransferError>) {
        switch result {
        case .success(let response):
            switch response.body {
            case .file, .bytes, .growing: self = .fetched
            case .none where response.head.status >= 500: self = .serverError
            case .none: self = response.head.status == 304 ? .notModified : .status
            }
        case .failure(let error):
            switch error {
            case .notFound: self = .status
            case .unreachable: self = .unreachable
            case .timeout: self = .timeout
            case .violation: self = .protocol
            case .addressRefused, .unresolved: self = .refused
            case .contentRefused, .undecryptable: self = .contentRefused
            case .tooLarge: self = .tooLarge
            case .overloaded: self = .overloaded
            case .circuitOpen: self = .circuitOpen
            case .suspended: self = .suspended
            case .cancelled: self = .cancelled
            }
        }
    }
}

/// The engine's live statistics: written by the transfer thread, read by any thread.
final class TransferCounters: Sendable {
    private let state = Lock(TransferStatistics())

    var snapshot: TransferStatistics { state.withLock { $0 } }

    func update(_ body: (inout TransferStatistics) -> Void) {
        state.withLock { body(&$0) }
    }
}
