package import LinuxSystem
import Synchronization

/// The counters of one loop; written by its thread only, read by any.
final class LoopCounters: Sendable {
    let accepted = Atomic<Int64>(0)
    let closed = Atomic<Int64>(0)
    let turnedAway = Atomic<Int64>(0)
    let turnedAwayOfClients = Atomic<Int64>(0)
    let requests = Atomic<Int64>(0)
    let rejected = Atomic<Int64>(0)
    let timedOut = Atomic<Int64>(0)
    let bytesReceived = Atomic<Int64>(0)
    let bytesSent = Atomic<Int64>(0)
    let turns = TurnCounter()
    /// Requests of clients that have not closed their sending side, whose responses are due; as of the last sweep.
    let waitingClients = Atomic<Int>(0)
}

extension Atomic where Value == Int64 {
    /// Adds to a counter that no other thread writes: a load and a store, without a locked instruction.
    @inline(__always)
    func addSingleWriter(_ value: Int64) {
        store(load(ordering: .relaxed) &+ value, ordering: .relaxed)
    }
}

/// The state shared by all loops of a server.
final class ServerShared: Sendable {
    /// The number of open connections over all loops, including those being rejected.
    let open = Atomic<Int>(0)
    /// The number of half-closed clients over all loops whose responses are due, as of the loops' last sweeps.
    let halfClosed = Atomic<Int>(0)
    let counters: [LoopCounters]

    init(loops: Int) {
        counters = (0..<loops).map { _ in LoopCounters() }
    }
}

/// A snapshot of a server's counters since its start; the loops are not read at one instant.
package struct ServerStatistics: Hashable, Sendable {
    /// Connections currently open.
    package var openConnections: Int64 = 0
    /// Connections accepted.
    package var accepted: Int64 = 0
    /// Connections rejected because there were too many, with 503, 429 or without a response.
    package var turnedAway: Int64 = 0
    /// Those of them whose client had too many.
    package var turnedAwayOfClients: Int64 = 0
    /// Requests passed to the handler.
    package var requests: Int64 = 0
    /// Requests rejected by the server itself.
    package var rejected: Int64 = 0
    /// Connections ended by a timeout.
    package var timedOut: Int64 = 0
    /// Bytes received, including heads.
    package var bytesReceived: Int64 = 0
    /// Bytes sent, including heads.
    package var bytesSent: Int64 = 0
    /// The durations of the loops' turns.
    package var turns = DurationCounts(bounds: TurnCounter.bounds)

    init(_ all: [LoopCounters]) {
        for counters in all {
            accepted += counters.accepted.load(ordering: .relaxed)
            openConnections -= counters.closed.load(ordering: .relaxed)
            turnedAway += counters.turnedAway.load(ordering: .relaxed)
            turnedAwayOfClients += counters.turnedAwayOfClients.load(ordering: .relaxed)
            requests += counters.requests.load(ordering: .relaxed)
            rejected += counters.rejected.load(ordering: .relaxed)
            timedOut += counters.timedOut.load(ordering: .relaxed)
            bytesReceived += counters.bytesReceived.load(ordering: .relaxed)
            bytesSent += counters.bytesSent.load(ordering: .relaxed)
            turns.add(counters.turns.durations)
        }
        openConnections += accepted
    }
}
