import Cluster
import HTTPCache
import HTTPKit
import HTTPSemantics
import LinuxSystem
import Logging

/// Recognises the requests of other nodes, on event loops.
final class NodeGate: Sendable {
    /// Who sends a request.
    enum Sender: Sendable {
        case client
        case node(Query)
        /// A request with the field of nodes that does not come from one.
        case stranger
    }

    /// The request of a node, for a variant whose original this node owns.
    struct Query: Sendable {
        /// The variant's key at the asking node.
        var key: CacheKey
        /// The last entry of the purge log that the asking node has applied.
        var sequence: UInt64
        /// The log that has the entry.
        var log: String
        /// The account of the client; `nil` for none.
        var account: String?
        var priority: RequestPriority
    }

    /// Tells nodes whose queries take long that this one is at work.
    let heartbeat: NodeHeartbeat
    private let nodes: NodeTable
    private let token: Secret
    private let progress: @Sendable () -> ClusterProgress
    private let logger: Logger
    /// When a wrong token was last logged, in seconds of the wall clock.
    private let logged = Lock(Int64.min)

    init(
        nodes: NodeTable,
        settings: Configuration.Cluster,
        logger: Logger,
        progress: @escaping @Sendable () -> ClusterProgress
    ) {
        self.nodes = nodes
        token = settings.token
        heartbeat = NodeHeartbeat(askTimeout: settings.askTimeout)
        self.progress = progress
        self.logger = logger
    }

    /// Returns who sends a request: a node's has the token, comes from the address of a node, and from no proxy.
    func sender(of head: borrowing RequestHead, _ bytes: Span<UInt8>, _ context: RequestContext) -> Sender {
        guard head.has(.edgeprintNode) else { return .client }
        guard !head.has(.xForwardedFor), let address = context.peer.address, nodes.isNode(address) else {
            return .stranger
        }
        func text(_ name: StaticString) -> String? {
            head.value(named: name, in: bytes).map { String(decoding: bytes.copy($0), as: UTF8.self) }
        }
        let given = head.value(of: .edgeprintNode).map { bytes.copy($0) } ?? []
        guard !token.isEmpty, head.count(of: .edgeprintNode) == 1, token.matches(given) else {
            tellOfToken(from: context.peer, at: context.wallSeconds)
            return .stranger
        }
        guard let key = text("edgeprint-key").flatMap({ [UInt8](hexadecimal: $0) }).flatMap({ CacheKey(bytes: $0) })
        else { return .stranger }
        let account = text("edgeprint-account")
        return .node(
            Query(
                key: key,
                sequence: text("edgeprint-sequence").flatMap { UInt64($0) } ?? 0,
                log: text("edgeprint-log") ?? "",
                account: account.flatMap { $0.utf8.count <= NodeFields.maximumAccount ? $0 : nil },
                priority: text("edgeprint-priority").flatMap { Int($0) }.flatMap { RequestPriority(rawValue: $0) }
                    ?? .normal
            )
        )
    }

    /// Whether this node has applied all purges that the asking node has.
    func isCurrent(for query: Query) -> Bool {
        let own = progress()
        return own.isInTouch && own.log == query.log && own.sequence >= query.sequence
    }

    /// Logs a wrong token at most once a minute.
    private func tellOfToken(from peer: PeerAddress, at now: Int64) {
        let isDue = logged.withLock { last in
            guard last == .min || now - last >= 60 || now < last else { return false }
            last = now
            return true
        }
        guard isDue else { return }
        logger.warning(
            "a node sends a wrong cluster.token; its requests are refused",
            metadata: ["node": "\(peer)"]
        )
    }
}

extension PeerAddress {
    /// The IP address; `nil` over a Unix socket.
    fileprivate var address: IPAddress? {
        switch family {
        case .ipv4: .v4(UInt32(truncatingIfNeeded: low))
        case .ipv6: .v6(high: high, low: low)
        case .unix: nil
        }
    }
}
