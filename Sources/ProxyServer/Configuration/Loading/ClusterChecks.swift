import Cluster
import LinuxSystem

/// Reports contradictions between the keys of the cluster.
enum ClusterChecks {
    static func check(_ cluster: Configuration.Cluster, _ decoder: inout ConfigurationDecoder) {
        checkNodes(cluster, &decoder)
        checkStore(cluster, &decoder)
    }

    private static func checkNodes(_ cluster: Configuration.Cluster, _ decoder: inout ConfigurationDecoder) {
        guard !cluster.nodes.isEmpty else {
            // A list that cannot be read is reported by itself.
            guard decoder.places["cluster.nodes"] == nil else { return }
            let standard = Configuration.Cluster()
            let settings = [
                // With a log, it is the name by which other nodes show this one.
                ("cluster.node", cluster.node != nil && cluster.log == nil), ("cluster.token", !cluster.token.isEmpty),
                ("cluster.ask-timeout", cluster.askTimeout != standard.askTimeout),
                ("cluster.hot", cluster.hot != standard.hot),
            ]
            for (key, isSet) in settings where isSet {
                decoder.report("has no effect without cluster.nodes", key: key, place: decoder.places[key])
            }
            return
        }
        let place = decoder.places["cluster.nodes"]
        if cluster.token.isEmpty {
            decoder.report("is required with cluster.nodes", key: "cluster.token", place: place)
        }
        // The addresses of a name are known later.
        let isListed = cluster.nodes.contains { entry in
            switch entry {
            case .node(let node): node == cluster.node
            case .name(let name): name.port == cluster.node?.port
            }
        }
        if let node = cluster.node, !isListed {
            decoder.report(
                "\(node) is not in cluster.nodes",
                key: "cluster.node",
                place: decoder.places["cluster.node"]
            )
        }
    }

    private static func checkStore(_ cluster: Configuration.Cluster, _ decoder: inout ConfigurationDecoder) {
        func report(_ name: String, _ message: String) {
            let key = "cluster." + name
            decoder.report(message, key: key, place: decoder.places[key])
        }
        let needs = [
            ("access-key", !cluster.accessKey.isEmpty, "secret-key", !cluster.secretKey.isEmpty),
            ("secret-key", !cluster.secretKey.isEmpty, "access-key", !cluster.accessKey.isEmpty),
            ("session-token", !cluster.sessionToken.isEmpty, "access-key", !cluster.accessKey.isEmpty),
        ]
        for (name, isSaid, other, isOtherSaid) in needs where isSaid && !isOtherSaid {
            report(name, "requires cluster.\(other)")
        }
        guard cluster.store.isEmpty else {
            if cluster.region.isEmpty, cluster.endpoint.isEmpty {
                report("store", "requires cluster.region, or cluster.endpoint of a store other than AWS")
            }
            if cluster.log == nil { report("store", "requires cluster.log, which orders the purges of what is shared") }
            return
        }
        let settings = [
            ("endpoint", !cluster.endpoint.isEmpty), ("region", !cluster.region.isEmpty),
            ("access-key", !cluster.accessKey.isEmpty),
        ]
        for (name, isSaid) in settings where isSaid { report(name, "has no effect without cluster.store") }
    }
}
