package import HTTPSemantics
package import LinuxSystem

/// The nodes of the cluster, which of them is this one, and which owns a key; any thread.
///
/// Names are looked up on a thread of the table's own, every few seconds. A look-up that fails changes nothing. Nodes that keep
/// failing are left out, and the nodes next in rank own their keys meanwhile, so that each key still has one owner.
package final class NodeTable: Sendable {
    /// The state of a node, for operators.
    package struct Status: Hashable, Sendable {
        package var node: NodeAddress
        /// Whether this process is the node.
        package var isOwn: Bool
        /// Whether it is left out because it keeps failing.
        package var isLeftOut: Bool
    }

    /// A request that is to be sent to a node.
    package struct Contact: Hashable, Sendable {
        package let node: NodeAddress
        fileprivate let ticket: CircuitBreaker.Ticket
    }

    private struct State: Sendable {
        var placement = Placement([])
        /// In the placement's order.
        var nodes: [NodeAddress] = []
        var own: Int?
        /// This node's addresses that are this machine's.
        var ownAddresses: [IPAddress] = []
        var addresses: [NodeAddress: [IPAddress]] = [:]
        var known: Set<IPAddress> = []
        var breakers: [NodeAddress: CircuitBreaker] = [:]
        /// The last successful look-ups.
        var found: [String: [IPAddress]] = [:]

        /// The owner of a key; `nil` if it is this node.
        func owner(of key: UInt64, at now: Int64) -> NodeAddress? {
            let owner = placement.owner(of: key) { index in
                index == own || breakers[nodes[index]]?.permits(at: now) ?? true
            }
            return owner == own ? nil : owner.map { nodes[$0] }
        }
    }

    private static let policy = CircuitBreaker.Policy(failures: 3)
    /// Look-ups after which a node that is not in the list is taken not to be in it.
    private static let patience = 6

    private let entries: [NodeEntry]
    private let ownName: NodeAddress?
    private let ports: Set<UInt16>
    private let lookup: NameLookup
    private let interval: Int64
    private let time: any TimeSource
    private let state = Lock(State())
    private let isStopped = Monitor(false)

    /// Creates a table; nodes whose hosts are addresses are known at once, others after `refresh`.
    ///
    /// - Parameters:
    ///   - own: this node's name; `nil` to find the only node whose address is this machine's and whose port is one of `ports`.
    ///   - ports: the ports of this node's public listeners.
    ///   - interval: milliseconds between look-ups.
    package init(
        _ entries: [NodeEntry],
        own: NodeAddress? = nil,
        ports: Set<UInt16> = [],
        lookup: NameLookup = .system,
        interval: Int = 5_000,
        time: any TimeSource = SystemTime()
    ) {
        self.entries = entries
        ownName = own
        self.ports = ports
        self.lookup = lookup
        self.interval = Int64(max(1, interval)) * 1_000_000
        self.time = time
        rebuild(with: [:])
    }

    deinit { stop() }

    /// Starts the thread that looks names up, unless there are only addresses.
    ///
    /// - Parameter known: called once: as soon as this node is found in the list, or when it has not been for `patience` look-ups,
    ///   since a name may list it only once it is ready. At once if there are no names, else on the thread.
    /// - Throws: `Errno` if the system cannot create the thread.
    package func start(known: @escaping @Sendable (NodeTable) -> Void = { _ in }) throws(Errno) {
        guard entries.contains(where: { $0.lookedUp != nil }) else { return known(self) }
        let (isStopped, interval) = (isStopped, interval)
        try SystemThread.start(name: "nodes") { [weak self] in
            var lookups = 0
            while let table = self {
                table.refresh()
                if lookups < Self.patience {
                    lookups = table.own == nil ? lookups + 1 : Self.patience
                    if lookups == Self.patience { known(table) }
                }
                _ = consume table
                if isStopped.wait(nanoseconds: interval, until: { $0 ? () : nil }) != nil { return }
            }
        }
    }

    /// Ends the thread.
    package func stop() { isStopped.update { $0 = true } }

    /// Looks all names up; blocks.
    ///
    /// To be called by one thread at a time.
    package func refresh() {
        var found = state.withLock { $0.found }
        for host in Set(entries.compactMap(\.lookedUp)) {
            guard let addresses = lookup.addresses(host), !addresses.isEmpty else { continue }
            found[host] = addresses
        }
        rebuild(with: found)
    }

    /// Replaces the state by that of other look-ups.
    ///
    /// It is computed without the lock, which event loops take: `NameLookup.isOwn` makes system calls.
    private func rebuild(with found: [String: [IPAddress]]) {
        var next = state.withLock { $0 }
        next.found = found
        update(&next)
        let result = next
        state.withLock { state in
            // Requests have begun and ended meanwhile.
            let breakers = state.breakers.filter { result.addresses[$0.key] != nil }
            state = result
            state.breakers = breakers
        }
    }

    /// Updates the nodes from `found`.
    private func update(_ state: inout State) {
        var addresses: [NodeAddress: [IPAddress]] = [:]
        var known: Set<IPAddress> = []
        for entry in entries {
            switch entry {
            case .node(let node): addresses[node] = node.literal.map { [$0] } ?? state.found[node.host] ?? []
            case .name(let name):
                let found = state.found[name.host] ?? []
                known.formUnion(found)
                // A machine with an address of each family is one node.
                let ofVersion4 = found.filter { !$0.isIPv6 }
                for address in ofVersion4.isEmpty ? found : ofVersion4 {
                    addresses[NodeAddress(host: address.text, port: name.port)] = [address]
                }
            }
        }
        known.formUnion(addresses.values.joined())
        guard addresses != state.addresses || known != state.known || state.nodes.isEmpty else { return }
        let byName = Dictionary(addresses.keys.map { ($0.description, $0) }, uniquingKeysWith: { first, _ in first })
        state.placement = Placement(byName.keys)
        state.nodes = state.placement.names.compactMap { byName[$0] }
        state.addresses = addresses
        state.known = known
        state.own = own(among: state.nodes, addresses)
        // A node behind an address translation does not have the address by which it is reached.
        state.ownAddresses = (state.own.flatMap { addresses[state.nodes[$0]] } ?? []).filter(lookup.isOwn)
    }

    private func own(among nodes: [NodeAddress], _ addresses: [NodeAddress: [IPAddress]]) -> Int? {
        if let ownName { return nodes.firstIndex(of: ownName) }
        let candidates = nodes.indices.filter { index in
            ports.contains(nodes[index].port) && (addresses[nodes[index]] ?? []).contains(where: lookup.isOwn)
        }
        return candidates.count == 1 ? candidates[0] : nil
    }

    // MARK: Use

    /// This node; `nil` if it is not, or cannot be told to be, in the list: it owns nothing then.
    package var own: NodeAddress? { state.withLock { state in state.own.map { state.nodes[$0] } } }

    /// The address from which requests to a node start, so that it recognises this one; `nil` for the system's choice.
    package func ownAddress(toward node: NodeAddress) -> IPAddress? {
        state.withLock { state in
            let isIPv6 = state.addresses[node]?.first?.isIPv6
            return state.ownAddresses.first { $0.isIPv6 == isIPv6 }
        }
    }

    /// Whether this node answers for a key itself at present.
    ///
    /// - Parameter key: 64 bits of the original's key.
    package func owns(_ key: UInt64) -> Bool {
        let now = time.monotonic
        return state.withLock { $0.owner(of: key, at: now) == nil }
    }

    /// The node to ask for a key; `nil` if this node answers itself.
    ///
    /// Each call that returns a node must be followed by one of `ended`.
    package func owner(of key: UInt64) -> Contact? {
        let now = time.monotonic
        return state.withLock { state in
            guard let node = state.owner(of: key, at: now) else { return nil }
            let ticket = state.breakers[node, default: CircuitBreaker(Self.policy)].begin()
            return Contact(node: node, ticket: ticket)
        }
    }

    /// Records what became of a request to a node.
    ///
    /// - Parameter hasAnswered: whether the node has answered, with whatever status; `nil` if the request says nothing about it.
    package func ended(_ contact: Contact, hasAnswered: Bool?) {
        let now = time.monotonic
        state.withLock { $0.breakers[contact.node]?.end(contact.ticket, hasAnswered: hasAnswered, at: now) }
    }

    /// Whether an address is one of a node.
    package func isNode(_ address: IPAddress) -> Bool { state.withLock { $0.known.contains(address) } }

    /// All nodes, sorted by name.
    package var statuses: [Status] {
        state.withLock { state in
            state.nodes.enumerated().map { index, node in
                Status(node: node, isOwn: index == state.own, isLeftOut: state.breakers[node]?.isOpen ?? false)
            }
        }
    }
}

extension IPAddress {
    fileprivate var isIPv6: Bool { if case .v6 = self { true } else { false } }
}
