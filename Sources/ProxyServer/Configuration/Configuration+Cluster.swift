import Cluster
import HTTPCache
import ImagePipeline
import LinuxSystem
import OriginTransfer

extension Configuration {
    /// Several nodes that act as one cache.
    struct Cluster: Sendable, Equatable {
        /// The log of purges that all nodes share; `nil` for none.
        var log: LogLocation?
        /// The name of the cluster, with which its keys in the log's engine begin.
        var name = "edgeprint"
        /// What this node does with stored responses while it may lack purges.
        var outOfTouch = PurgeProgress.OutOfTouch.revalidate
        /// The purges that the log keeps.
        var entries = 100_000
        /// The longest time that a purge waits for all nodes, in milliseconds.
        var wait = 10_000

        // MARK: Owners

        /// The nodes among which originals are divided, this one included; empty for none.
        var nodes: [NodeEntry] = []
        /// This node, as the others reach it; `nil` to find it among the nodes.
        var node: NodeAddress?
        /// The token of requests between nodes.
        var token = Secret("")
        /// The longest time until the first byte of an owner's answer, in milliseconds.
        var askTimeout = 2_000
        /// The longest time for which an owner's answer is kept in memory, in milliseconds.
        var hot = 10_000

        // MARK: The shared store

        /// `s3://bucket/prefix/` of the shared store; empty for none.
        var store = ""
        /// `http(s)://host[:port]` of a store other than AWS; empty for AWS.
        var endpoint = ""
        /// The region for which requests are signed; empty for the default of stores without regions.
        var region = ""
        /// The access key ID; empty for requests without a signature.
        var accessKey = ""
        var secretKey = Secret("")
        var sessionToken = Secret("")
        /// The longest wait for the first byte of an object, in milliseconds.
        var storeBudget = 150
        /// Results whose making took at least this long are stored, in milliseconds.
        var storeResults = 50
        /// Maximum bytes that wait to be written; `nil` derives it from the memory budget.
        var storeQueue: Int?

        /// The bucket of the shared store; `nil` without one.
        var bucket: ObjectBucket? {
            guard case .success(.bucket(let parsed)) = LocationParser.parse(store) else { return nil }
            var bucket = parsed
            if !region.isEmpty { bucket.region = region }
            if !endpoint.isEmpty { bucket.endpoint = endpoint }
            return bucket
        }

        /// The keys that sign requests to the shared store; `nil` without them.
        var credentials: SourceCredentials? {
            guard !accessKey.isEmpty, !secretKey.isEmpty else { return nil }
            return .accessKey(id: accessKey, secret: secretKey, session: sessionToken.isEmpty ? nil : sessionToken)
        }
    }
}
