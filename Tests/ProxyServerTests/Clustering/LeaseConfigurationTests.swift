import Cluster
import LinuxSystem
import Testing

@testable import ProxyServer

struct LeaseConfigurationTests {
    private func hasLeases(_ change: (inout Configuration.Cluster) throws -> Void) rethrows -> Bool {
        var cluster = Configuration.Cluster()
        try change(&cluster)
        return DownloadLeases(cluster, time: SystemTime()) != nil
    }

    @Test func `leases need a log and a shared store, and are not taken where originals have owners`() throws {
        let log = try LogLocation("redis://127.0.0.1:9/")
        #expect(!hasLeases { _ in })
        #expect(!hasLeases { $0.log = log })
        #expect(!hasLeases { $0.store = "s3://pics/" })
        #expect(
            hasLeases {
                $0.log = log
                $0.store = "s3://pics/"
            }
        )
        let node = try #require(NodeEntry("127.0.0.1:9"))
        #expect(
            !hasLeases {
                $0.log = log
                $0.store = "s3://pics/"
                $0.nodes = [node]
            }
        )
    }
}
