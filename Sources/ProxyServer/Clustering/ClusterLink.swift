import Cluster
import Glibc
import HTTPCache
import ImagePipeline
import LinuxSystem
import Logging

/// What connects this daemon to the other nodes of its cluster.
struct ClusterLink: Sendable {
    let follower: LogFollower
    private let node: ClusterNode
    private let time: any TimeSource

    /// This node's knowledge of purges, before it follows the log.
    static func progress(
        _ configuration: Configuration.Cluster,
        _ store: DiskStore,
        _ time: any TimeSource
    ) -> PurgeProgress {
        guard configuration.log != nil else { return .alone }
        return PurgeProgress(configuration.outOfTouch, from: store.position, time: time)
    }

    /// Creates the link; `nil` outside of a cluster.
    ///
    /// `start` begins to follow the log.
    init?(
        _ configuration: Configuration,
        _ pipeline: Pipeline,
        _ raw: RawProxy<OriginRequest>,
        _ store: DiskStore,
        _ progress: PurgeProgress,
        time: any TimeSource,
        logger: Logger
    ) {
        guard let location = configuration.cluster.log else { return nil }
        node = ClusterNode(pipeline, raw, store, progress, time: time, logger: logger)
        follower = LogFollower(
            location: location,
            name: configuration.cluster.name,
            node: Self.name(of: configuration),
            keep: configuration.cluster.entries,
            following: node,
            time: time
        )
        self.time = time
    }

    /// What purges on all nodes.
    ///
    /// - Parameter longestWait: the longest wait for all nodes, in milliseconds.
    func purger(longestWait: @escaping @Sendable () -> Int) -> ClusterPurger {
        ClusterPurger(follower: follower, outcomes: node.outcomes, time: time, longestWait: longestWait)
    }

    /// Begins to follow the log, from the place that is on disk.
    ///
    /// - Throws: `Errno` if the system cannot create a thread.
    func start() throws(Errno) { try follower.start() }

    /// Ends the threads; pending purges fail.
    func stop() {
        // Before it can believe that an entry is applied which the node gives up.
        follower.stop()
        node.stop()
    }

    /// The name by which other nodes show this one.
    private static func name(of configuration: Configuration) -> String {
        if let node = configuration.cluster.node { return node.description }
        var bytes = [CChar](repeating: 0, count: 65)
        let host = unsafe gethostname(&bytes, 64) == 0 ? bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) } : []
        let address = configuration.listen.first.map { "\($0)" } ?? ""
        return "\(String(decoding: host, as: UTF8.self)) \(address)"
    }
}
