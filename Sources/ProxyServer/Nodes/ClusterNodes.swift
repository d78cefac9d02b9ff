import Cluster
import HTTPKit
import LinuxSystem
import Logging
import OriginTransfer

/// The parts of a daemon that is a node of a cluster with owners.
struct ClusterNodes: Sendable {
    let table: NodeTable
    let transfers: TransferEngine
    let client: OwnerClient
    let gate: NodeGate

    /// Creates the parts; `nil` without `cluster.nodes`.
    ///
    /// - Parameters:
    ///   - folder: the folder for long answers that are arriving; `nil` keeps them in memory.
    ///   - ledgers: the accounts of answers that are arriving or in use: those of originals.
    ///   - progress: what is known of the purge log.
    /// - Throws: `Errno` if the system cannot create a thread or a descriptor.
    init?(
        _ configuration: Configuration,
        folder: String?,
        ledgers: BodyLedgers,
        time: any TimeSource,
        logger: Logger,
        progress: @escaping @Sendable () -> ClusterProgress = { ClusterProgress() }
    ) throws(Errno) {
        let settings = configuration.cluster
        guard !settings.nodes.isEmpty else { return nil }
        let ports = configuration.listen.compactMap { if case .tcp(_, let port) = $0 { port } else { nil } }
        table = NodeTable(settings.nodes, own: settings.node, ports: Set(ports), time: time)
        // Without a name of its own, requests are no different from those of the asking node's clients, with which they share work.
        var engine = TransferEngine.Configuration(userAgent: "Edgeprint/\(Version.text)", pseudonym: "")
        // The table leaves out nodes that fail.
        engine.breaker = BreakerPolicy(failures: 0)
        engine.folder = folder
        engine.ledgers = ledgers
        transfers = try TransferEngine(configuration: engine, time: time)
        client = OwnerClient(nodes: table, transfers: transfers, settings: settings, time: time, progress: progress)
        gate = NodeGate(nodes: table, settings: settings, logger: logger, progress: progress)
        try table.start { table in
            if let own = table.own {
                logger.info("node of a cluster", metadata: ["node": "\(own)"])
            } else {
                logger.warning("this node is not in cluster.nodes and owns nothing; set cluster.node")
            }
        }
    }

    /// Ends the threads; later questions are answered here.
    func stop() {
        table.stop()
        transfers.stop()
    }
}
