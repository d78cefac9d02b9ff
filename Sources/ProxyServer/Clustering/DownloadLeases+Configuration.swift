import Cluster
import LinuxSystem

extension DownloadLeases {
    /// Creates the leases of a cluster; `nil` unless it has a log and a shared store, and its nodes own no originals.
    ///
    /// `start` connects to the log's engine.
    convenience init?(_ configuration: ProxyServer.Configuration.Cluster, time: any TimeSource) {
        guard let location = configuration.log, configuration.bucket != nil, configuration.nodes.isEmpty else {
            return nil
        }
        self.init(location: location, name: configuration.name, time: time)
    }
}
