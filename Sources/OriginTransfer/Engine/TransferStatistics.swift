/// What a transfer engine has done since it started; counters only grow, gauges say now.
package struct TransferStatistics: Hashable, Sendable {
    /// How a load ended.
    package enum Outcome: String, Hashable, Sendable, CaseIterable {
        case fetched
        case notModified = "not-modified"
        case status
        case unreachable
        case timeout
        case `protocol`
        case refused
        case tooLarge = "too-large"
        case overloaded
        case cancelled
    }

    /// Microseconds, summed over the loads that got an answer's head; divide by `answered`.
    package struct Timing: Hashable, Sendable {
        /// From the asking to the start on the wire, in our own queue.
        package var queued: Int64 = 0
        /// Name resolution, from the start.
        package var resolved: Int64 = 0
        /// TCP connect, from the start; 0 on a reused connection.
        package var connected: Int64 = 0
        /// TLS handshake, from the start; 0 without TLS or on a reused connection.
        package var secured: Int64 = 0
        /// First byte of the answer, from the start.
        package var firstByte: Int64 = 0
        /// The whole transfer, from the start.
        package var total: Int64 = 0
    }

    /// Loads by how they ended.
    package var outcomes: [Outcome: Int] = [:]
    /// Requests sent or tried, redirects included.
    package var requests = 0
    /// Redirects followed.
    package var redirects = 0
    /// Requests that went over a connection of the pool.
    package var reusedConnections = 0
    /// Connections made.
    package var newConnections = 0
    /// Bytes of bodies received.
    package var bytes = 0
    /// Requests that got an answer's head.
    package var answered = 0
    package var timing = Timing()
    /// Gauge: loads on the wire.
    package var active = 0
    /// Gauge: loads that wait for a connection.
    package var waiting = 0
    /// Gauge: bytes of bodies that are not complete yet.
    package var bytesInFlight = 0

    /// Creates statistics of nothing.
    package init() {}
}

extension TransferStatistics.Outcome {
    /// The class of a load's result.
    init(_ result: Result<TransferResponse, TransferError>) {
        switch result {
        case .success(let response):
            switch response.body {
            case .file, .bytes: self = .fetched
            case .none: self = response.head.status == 304 ? .notModified : .status
            }
        case .failure(let error):
            switch error {
            case .notFound: self = .status
            case .unreachable: self = .unreachable
            case .timeout: self = .timeout
            case .violation: self = .protocol
            case .addressRefused, .unresolved: self = .refused
            case .tooLarge: self = .tooLarge
            case .overloaded: self = .overloaded
            case .cancelled: self = .cancelled
            }
        }
    }
}
