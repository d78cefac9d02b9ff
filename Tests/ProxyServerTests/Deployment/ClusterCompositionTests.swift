import Cluster
import Foundation
import LinuxSystem
import OriginTransfer
import TestSupport
import Testing
import Yams

@testable import ProxyServer

/// `deploy/cluster`, as far as it can be checked without a container runtime.
@Suite(.timeLimit(.minutes(1)))
struct ClusterCompositionTests {
    private static let folder = URL(filePath: Checkout.folder).appendingPathComponent("deploy/cluster")
    private let services: [String: [String: Any]]
    private let configuration: Configuration

    init() throws {
        let composition = try #require(try Yams.load(yaml: Self.text("compose.yaml")) as? [String: Any])
        services = try #require(composition["services"] as? [String: [String: Any]])
        let flags = ConfigurationLoader.Flags(config: Self.folder.appendingPathComponent("edgeprint.yaml").path)
        let token = String(repeating: "a", count: 64)
        configuration = try ConfigurationLoader(environment: ["EDGEPRINT_CLUSTER_TOKEN": token], flags: flags).load()
    }

    private static func text(_ name: String) throws -> String {
        try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
    }

    private func command(_ service: String) throws -> String {
        try #require(services[service]?["command"] as? [String]).joined(separator: " ")
    }

    @Test func `every service is limited, and every file it mounts exists`() throws {
        #expect(Set(services.keys) == ["edgeprint", "log", "store", "nginx"])
        for (name, service) in services {
            #expect(service["mem_limit"] is String && service["pids_limit"] is Int, "\(name)")
            #expect(service["security_opt"] as? [String] == ["no-new-privileges:true"], "\(name)")
            for volume in service["volumes"] as? [String] ?? [] where volume.hasPrefix("./") {
                let file = String(volume.dropFirst(2).prefix { $0 != ":" })
                #expect(FileManager.default.fileExists(atPath: Self.folder.path + "/" + file), "\(volume)")
            }
        }
    }

    @Test func `the configuration names the services`() throws {
        let cluster = configuration.cluster
        #expect(cluster.log?.description.contains("log:6379") == true)
        #expect(try command("log").contains("noeviction"))
        let bucket = try #require(cluster.bucket)
        #expect(bucket.endpoint == "http://store:8333")
        #expect(try command("store").contains("-name \(bucket.name)'"))
        let identities = try #require((services["store"]?["environment"] as? [String: String])?["IDENTITIES"])
        #expect(identities.contains("\"accessKey\": \"\(cluster.accessKey)\""))
        #expect(
            identities.contains("\"secretKey\": \"${EDGEPRINT_CLUSTER_TOKEN}\"") && identities.contains("Write:edge")
        )
        let nodes = try #require(services["edgeprint"]?["networks"] as? [String: [String: [String]]])
        #expect(nodes["nodes"]?["aliases"] == ["edge"] && cluster.nodes.map(\.description) == ["dns:edge:8080"])
    }

    @Test func `nginx distributes images over all nodes, and its addresses are trusted`() throws {
        let site = try Self.text("nginx.conf")
        let replicas = try #require((services["edgeprint"]?["deploy"] as? [String: Int])?["replicas"])
        for number in 1...replicas { #expect(site.contains("server edgeprint-cluster-edgeprint-\(number):8080 ")) }
        #expect(site.contains("hash $uri consistent;"))
        let nginx = try #require(services["nginx"]?["networks"] as? [String: [String: String]])
        let address = try #require(nginx["nodes"]?["ipv4_address"])
        #expect(try Self.text("edgeprint.yaml").contains("trust: [\(address)]"))
    }
}
