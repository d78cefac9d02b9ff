import Glibc
import HTTPCache
import LinuxSystem
import TestSupport

@testable import Cluster

/// Nodes that take leases in one server.
final class LeaseRig {
    let server: RedisServer
    private var nodes: [DownloadLeases] = []

    init(_ engine: RedisServer.Engine = .valkey) throws { server = try RedisServer(engine) }

    deinit { for node in nodes { node.stop() } }

    /// Starts a node, and waits until it is connected.
    func node(times: LeaseTimes = .patient, location: String? = nil, time: any TimeSource = SystemTime()) throws
        -> DownloadLeases
    {
        let location = try LogLocation(location ?? server.location)
        let node = DownloadLeases(location: location, name: "edge", times: times, time: time)
        nodes.append(node)
        try node.start()
        try node.waitUntil(isConnected: true)
        return node
    }

    /// The value of a lease, as the server replies it.
    func value(of key: CacheKey) -> String { server.command("GET {edge}:lease:\(key)") }

    /// Sets the value of a lease, as another node would.
    func set(_ key: CacheKey, _ value: String, _ options: String = "") {
        server.command("SET {edge}:lease:\(key) \(value) \(options)")
    }
}

extension LeaseTimes {
    /// Times for machines on which a server may be given no time for seconds.
    static var patient: LeaseTimes {
        var times = LeaseTimes()
        (times.lease, times.budget, times.connect) = (60_000_000_000, 15_000_000_000, 15_000_000_000)
        times.looks = 1_000_000...10_000_000
        return times
    }
}

/// A request for a lease, whose looks into the shared store the test answers, or a scripted store at once.
final class PendingTurn: Sendable {
    let looks = Signal<[@Sendable (String?) -> Void]>([])
    private let turn = Signal<DownloadTurn<String>?>(nil)

    /// - Parameter store: what every look finds; `nil` if the test answers them.
    init(_ node: DownloadLeases, _ key: CacheKey, store: Signal<String?>? = nil) {
        node.take(original: key) { [looks] found in
            if let store { found(store.value) } else { looks.update { $0.append(found) } }
        } completion: { [turn] (result: DownloadTurn<String>) in
            turn.update { $0 = result }
        }
    }

    var isDone: Bool { turn.value != nil }

    /// The lease, once there is a result; `nil` for another result.
    func lease() throws -> DownloadLease? {
        guard case .own(let lease)? = try turn.wait(until: { $0 != nil }) else { return nil }
        return lease
    }

    /// What was found, once there is a result; `nil` for another result.
    func found() throws -> String? {
        guard case .found(let found)? = try turn.wait(until: { $0 != nil }) else { return nil }
        return found
    }

    /// Whether the result, once there is one, is to download without a lease.
    func isFree() throws -> Bool {
        guard case .free? = try turn.wait(until: { $0 != nil }) else { return false }
        return true
    }

    /// Answers a look, once there is that many.
    func answer(look number: Int, _ found: String?) throws { try looks.wait { $0.count >= number }[number - 1](found) }
}

extension DownloadLeases {
    /// Polls until the node is connected, or is not.
    func waitUntil(isConnected: Bool) throws { try waitWhile(self.isConnected != isConnected) }

    /// Polls until a number of requests wait for other nodes.
    func waitUntil(waiting count: Int) throws { try waitWhile(state.withLock({ $0.waits.count }) != count) }
}
