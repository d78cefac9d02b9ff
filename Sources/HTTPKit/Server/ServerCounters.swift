import Synchronization

/// What one loop counts; written by its thread alone, read by any.
final class LoopCounters: Sendable {
    let accepted = Atomic<Int64>(0)
    let closed = Atomic<Int64>(0)
    let turnedAway = Atomic<Int64>(0)
    let requests = Atomic<Int64>(0)
    let rejected = Atomic<Int64>(0)
    let timedOut = Atomic<Int64>(0)
    let bytesReceived = Atomic<Int64>(0)
    let bytesSent = Atomic<Int64>(0)
}

extension Atomic where Value == Int64 {
    /// Adds on the only thread that writes: a load and a store, no locked instruction.
    @inline(__always)
    func addAlone(_ value: Int64) {
        store(load(ordering: .relaxed) &+ value, ordering: .relaxed)
    }
}

/// What all loops of a server share.
final class ServerShared: Sendable {
    /// Open connections over all loops, those that are being turned away included.
    let open = Atomic<Int>(0)
    let counters: [LoopCounters]

    init(loops: Int) {
        counters = (0..<loops).map { _ in LoopCounters() }
    }
}

/// A server's counts since its start; a snapshot, not taken at one instant over all loops.
package struct ServerStatistics: Hashable, Sendable {
    /// Connections open now.
    package var openConnections: Int64 = 0
    /// Connections accepted.
    package var accepted: Int64 = 0
    /// Connections told 503, or closed unheard, because there were too many.
    package var turnedAway: Int64 = 0
    /// Requests handed to the handler.
    package var requests: Int64 = 0
    /// Requests that the server refused itself.
    package var rejected: Int64 = 0
    /// Connections ended by a timeout.
    package var timedOut: Int64 = 0
    /// Bytes received, heads and bodies.
    package var bytesReceived: Int64 = 0
    /// Bytes sent, heads and bodies.
    package var bytesSent: Int64 = 0

    init(_ all: [LoopCounters]) {
        for counters in all {
            accepted += counters.accepted.load(ordering: .relaxed)
            openConnections -= counters.closed.load(ordering: .relaxed)
            turnedAway += counters.turnedAway.load(ordering: .relaxed)
            requests += counters.requests.load(ordering: .relaxed)
            rejected += counters.rejected.load(ordering: .relaxed)
            timedOut += counters.timedOut.load(ordering: .relaxed)
            bytesReceived += counters.bytesReceived.load(ordering: .relaxed)
            bytesSent += counters.bytesSent.load(ordering: .relaxed)
        }
        openConnections += accepted
    }
}
