import Cluster
import HTTPCache
import HTTPSemantics
import ImagePipeline
import LinuxSystem
import OriginTransfer

extension ConfigurationSchema {
    /// Several nodes that act as one cache.
    static let cluster: [Setting<Configuration>] = log + sharing + store

    private static let log: [Setting<Configuration>] = [
        Setting(
            "cluster.log",
            \.cluster.log,
            .log,
            needsRestart: true,
            "Redis or Valkey that orders the purges of all nodes: redis://[user:password@]host[:port][/db] or redis+unix:///path."
        ),
        Setting(
            "cluster.name",
            \.cluster.name,
            .clusterName,
            needsRestart: true,
            "Name of the cluster; clusters with different names can share an engine."
        ),
        Setting(
            "cluster.out-of-touch",
            \.cluster.outOfTouch,
            .choice,
            needsRestart: true,
            "Stored responses while the log cannot be reached for a second: serve, revalidate or fail."
        ),
        Setting(
            "cluster.entries",
            \.cluster.entries,
            .count(1_000...10_000_000),
            needsRestart: true,
            "Purges that the log keeps for nodes that were away."
        ),
        Setting(
            "cluster.wait",
            \.cluster.wait,
            .duration(1_000...600_000),
            "Longest time that a purge with wait=all waits for the other nodes."
        ),
    ]

    private static let sharing: [Setting<Configuration>] = [
        Setting(
            "cluster.nodes",
            \.cluster.nodes,
            .list(of: .nodeEntry),
            needsRestart: true,
            "Nodes that divide originals among them, this one included: HOST:PORT, or dns:HOST:PORT for each "
                + "address of a name (of IPv4, if it has both)."
        ),
        Setting(
            "cluster.node",
            \.cluster.node,
            .node,
            needsRestart: true,
            "This node among cluster.nodes, if its addresses and ports do not tell: HOST:PORT."
        ),
        Setting(
            "cluster.token",
            \.cluster.token,
            .token,
            needsRestart: true,
            "Token of requests between nodes, the same on all; required with cluster.nodes."
        ),
        Setting(
            "cluster.ask-timeout",
            \.cluster.askTimeout,
            .duration(10...60_000),
            needsRestart: true,
            "Longest wait for an owner's first byte; then this node downloads the original itself."
        ),
        Setting(
            "cluster.hot",
            \.cluster.hot,
            .duration(0...600_000),
            needsRestart: true,
            "Longest time for which an owner's answer is kept in memory, in whole seconds; 0 keeps none."
        ),
    ]

    private static let store: [Setting<Configuration>] = [
        Setting(
            "cluster.store",
            \.cluster.store,
            .sharedBucket,
            needsRestart: true,
            "Bucket that all nodes share for originals and results, such as s3://bucket/prefix/; empty for none."
        ),
        Setting(
            "cluster.endpoint",
            \.cluster.endpoint,
            .emptiable(.endpoint),
            needsRestart: true,
            "Endpoint of the shared bucket's store; empty for AWS."
        ),
        Setting(
            "cluster.region",
            \.cluster.region,
            .emptiable(.region),
            needsRestart: true,
            "Region of the shared bucket."
        ),
        Setting(
            "cluster.access-key",
            \.cluster.accessKey,
            .emptiable(.accessKeyID),
            needsRestart: true,
            "Access key ID for the shared bucket."
        ),
        Setting(
            "cluster.secret-key",
            \.cluster.secretKey,
            .token,
            needsRestart: true,
            "Secret key that signs requests to the shared bucket."
        ),
        Setting(
            "cluster.session-token",
            \.cluster.sessionToken,
            .token,
            needsRestart: true,
            "Session token of temporary keys for the shared bucket."
        ),
        Setting(
            "cluster.store-budget",
            \.cluster.storeBudget,
            .duration(1...60_000),
            needsRestart: true,
            "Longest wait for the first byte from the shared bucket; the origin is asked after it."
        ),
        Setting(
            "cluster.store-results",
            \.cluster.storeResults,
            .duration(0...longest),
            needsRestart: true,
            "Results are stored in the shared bucket if making them took at least this long."
        ),
        Setting(
            "cluster.store-queue",
            \.cluster.storeQueue,
            .sizeOrAuto(1 << 20...1 << 40),
            needsRestart: true,
            "Maximum bytes that wait to be written to the shared bucket; further writes are dropped."
        ),
    ]
}

extension ValueFormat where Value == LogLocation? {
    /// The place of the log, or nothing; its password is redacted in output.
    fileprivate static var log: ValueFormat {
        let expectation = "redis://[user:password@]host[:port][/db] or redis+unix:///path"
        return ValueFormat(
            expectation: expectation,
            read: { node, problems in
                guard case .scalar(let text) = node.content else {
                    // Not `expected`, which would print a part of it.
                    problems.add("expected \(expectation)", at: node.place)
                    return nil
                }
                guard !text.isEmpty else { return .some(nil) }
                do throws(LogLocation.Failure) {
                    return try LogLocation(text)
                } catch {
                    problems.add("\(error)", at: node.place)
                    return nil
                }
            },
            write: { .quoted($0.map { "\($0)" } ?? "") }
        )
    }
}

extension ValueFormat where Value == String {
    /// A name that can be part of a key.
    fileprivate static var clusterName: ValueFormat {
        .scalar("1 to 64 letters, digits, dots, dashes and underscores") { text in
            let isValid = text.utf8.allSatisfy { byte in
                switch UnicodeScalar(byte) {
                case "a"..."z", "A"..."Z", "0"..."9", ".", "-", "_": true
                default: false
                }
            }
            return isValid && (1...64).contains(text.utf8.count) ? text : nil
        } write: {
            .plain($0)
        }
    }
}

extension ValueFormat where Value == NodeEntry {
    /// A node, or a name of nodes.
    fileprivate static var nodeEntry: ValueFormat {
        .scalar("HOST:PORT or dns:HOST:PORT") {
            NodeEntry($0)
        } write: {
            .quoted($0.description)
        }
    }
}

extension ValueFormat where Value == NodeAddress? {
    /// A node, or nothing.
    fileprivate static var node: ValueFormat {
        .scalar("HOST:PORT, or an empty string") { text in
            text.isEmpty ? .some(nil) : NodeAddress(text).map { .some($0) }
        } write: {
            .quoted($0?.description ?? "")
        }
    }
}

extension ValueFormat where Value == String {
    /// A bucket with a key prefix, or nothing.
    fileprivate static var sharedBucket: ValueFormat {
        .scalar("a bucket such as s3://bucket/prefix/") { text in
            if text.isEmpty { return text }
            guard case .success(.bucket(let bucket)) = LocationParser.parse(text) else { return nil }
            return "s3://\(bucket.name)/\(bucket.prefix)"
        } write: {
            .quoted($0)
        }
    }

    /// A format for a text that may be empty.
    fileprivate static func emptiable(_ format: ValueFormat) -> ValueFormat {
        ValueFormat(
            expectation: format.expectation,
            read: { node, problems in
                if case .scalar("") = node.content { return "" }
                return format.read(node, &problems)
            },
            write: { $0.isEmpty ? .quoted("") : format.write($0) },
            schema: .either([.text(pattern: "^$"), format.schema])
        )
    }
}
