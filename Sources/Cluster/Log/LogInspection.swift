/// What one look at the engine of a log finds, for `edgeprint doctor`.
package struct LogInspection: Sendable, Hashable {
    /// The engine's name and version.
    package let engine: String
    /// The names of the nodes that have stated something within the last minutes.
    package let nodes: [String]
    /// Whether the engine evicts keys without an expiry when its memory is full; each time the log is lost, which is a gap.
    package let evicts: Bool

    /// Connects once, on the calling thread, which waits for a few seconds at most besides name resolution.
    ///
    /// - Parameter name: the cluster's name. Its log begins if there is none.
    package init(_ location: LogLocation, name: String) throws(LogError) {
        let log = RedisPurgeLog(
            location,
            name: name,
            keep: LogFollower.keptEntries,
            times: LogTimes(),
            interruption: LogInterruption()
        )
        nodes = Set(try log.nodes(forgetting: []).nodes.map { NodeBoard.name(of: $0.name) }).sorted()
        let information = try log.information()
        let isValkey = information["server_name"] == "valkey"
        engine = (isValkey ? "Valkey " : "Redis ") + (information[isValkey ? "valkey_version" : "redis_version"] ?? "?")
        evicts = information["maxmemory"] != "0" && information["maxmemory_policy"]?.hasPrefix("allkeys") == true
    }
}
