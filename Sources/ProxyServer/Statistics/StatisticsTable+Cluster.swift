import Cluster

extension StatisticsTable {
    /// What several nodes share.
    ///
    /// A daemon by itself reports nothing but zeros.
    static let cluster: [Item] = log + owners + leases + sharedStore

    private static let log: [Item] = [
        .fact(
            "cluster.inTouch",
            Metric(
                "edgeprint_cluster_in_touch",
                "Whether this node knows all purges of the last second. Only in a cluster.",
                sample: { $0 == .null ? nil : $0 == .bool(true) ? 1 : 0 }
            )
        ) { reading in reading.cluster.map { .bool($0.isInTouch) } ?? .null },
        .fact(
            "cluster.head",
            Metric("edgeprint_cluster_log_head", "Sequence of the last purge in the log. Only in a cluster.")
        ) { reading in reading.cluster.map { .number(Int(clamping: $0.head)) } ?? .null },
        .fact(
            "cluster.applied",
            Metric(
                "edgeprint_cluster_log_applied",
                "Sequence of the last purge that this node has applied. Only in a cluster."
            )
        ) { reading in reading.cluster.map { .number(Int(clamping: $0.applied)) } ?? .null },
        .counter(
            "cluster.purgesAdded",
            Metric("edgeprint_cluster_purges_added_total", "Purges that this node has added to the log.")
        ) { $0.cluster?.appended ?? 0 },
        .counter(
            "cluster.purgesApplied",
            Metric("edgeprint_cluster_purges_applied_total", "Purges of the log that this node has applied.")
        ) { $0.cluster?.appliedCount ?? 0 },
        .counters(
            "cluster.gaps",
            Metric(
                "edgeprint_cluster_gaps_total",
                "Times that purges may have been missed, so that everything stored is revalidated once, by reason.",
                label: "reason"
            )
        ) { reading in LogGap.allCases.map { ($0.rawValue, reading.cluster?.gaps[$0] ?? 0) } },
        .counter(
            "cluster.recoveries",
            Metric(
                "edgeprint_cluster_log_recoveries_total",
                "Times that the log could be followed again after a failure."
            )
        ) { $0.cluster?.recoveries ?? 0 },
        .counter(
            "cluster.errors",
            Metric("edgeprint_cluster_log_errors_total", "Calls of the log that failed.")
        ) { $0.cluster?.errors ?? 0 },
        .fact(
            "cluster.nodes",
            Metric("edgeprint_cluster_nodes", "Nodes of the cluster that are in touch. Only in a cluster.")
        ) { reading in reading.cluster.map { .number($0.nodes.count { !$0.isSilent }) } ?? .null },
    ]

    /// Questions to the nodes that own originals.
    private static let owners: [Item] = [
        .counters(
            "cluster.owners",
            Metric(
                "edgeprint_cluster_questions_total",
                "Questions to nodes that own originals, by what came of them: answered, refused or failed.",
                label: "result"
            )
        ) { reading in
            let counts = reading.owners?.asked ?? OwnerClient.Statistics()
            return [("answered", counts.answered), ("refused", counts.refused), ("failed", counts.failed)]
        },
        .fact(
            "cluster.leftOut",
            Metric("edgeprint_cluster_nodes_left_out", "Nodes that are not asked, because they keep failing.")
        ) { reading in reading.owners.map { .number($0.nodes.count { $0.isLeftOut }) } ?? .null },
    ]

    /// Leases of downloads, which nodes without owners take.
    private static let leases: [Item] = [
        .counters(
            "cluster.leases",
            Metric(
                "edgeprint_cluster_leases_total",
                "Originals for whose download a lease was asked for, by result; found ones another node has downloaded.",
                label: "result"
            )
        ) { reading in LeaseResult.allCases.map { ($0.rawValue, reading.leases?[$0] ?? 0) } }
    ]

    /// The store that the nodes share.
    private static let sharedStore: [Item] = [
        .counters(
            "cluster.store.reads",
            Metric(
                "edgeprint_cluster_store_reads_total",
                "Look-ups in the shared store, by result; skipped ones were not sent.",
                label: "result"
            )
        ) { reading in
            let store = reading.sharedStore ?? StoreStatistics()
            return [
                ("hit", store.hits), ("miss", store.misses), ("purged", store.purged), ("slow", store.slow),
                ("damaged", store.damaged), ("failed", store.readFailures), ("skipped", store.skipped),
            ]
        },
        .counters(
            "cluster.store.writes",
            Metric(
                "edgeprint_cluster_store_writes_total",
                "Writes to the shared store, by result; dropped ones had no room in the queue, or were purged.",
                label: "result"
            )
        ) { reading in
            let store = reading.sharedStore ?? StoreStatistics()
            return [("written", store.writes), ("failed", store.writeFailures), ("dropped", store.dropped)]
        },
        .counter(
            "cluster.store.bytesWritten",
            Metric("edgeprint_cluster_store_written_bytes_total", "Bytes written to the shared store.")
        ) { $0.sharedStore?.bytesWritten ?? 0 },
        .fact(
            "cluster.store.queuedBytes",
            Metric(
                "edgeprint_cluster_store_queue_bytes",
                "Bytes that wait to be written to the shared store. Only with cluster.store."
            )
        ) { reading in reading.sharedStore.map { .number($0.queuedBytes) } ?? .null },
        .fact(
            "cluster.store.suspended",
            Metric(
                "edgeprint_cluster_store_suspended",
                "Whether the shared store is left alone for a while, because it keeps failing. Only with cluster.store.",
                sample: { $0 == .null ? nil : $0 == .bool(true) ? 1 : 0 }
            )
        ) { reading in
            reading.sharedStore.map { .bool($0.isReadingSuspended || $0.isWritingSuspended) } ?? .null
        },
    ]
}
