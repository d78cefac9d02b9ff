import Foundation
import HTTPKit
import TestSupport
import Testing
import Yams

@testable import ProxyServer

/// `deploy/compose.yaml`, as far as it can be checked without a container runtime.
@Suite(.timeLimit(.minutes(1)))
struct CompositionTests {
    private static let checkout = URL(filePath: Checkout.folder)
    private static let deploy = checkout.appendingPathComponent("deploy")
    private let composition: [String: Any]
    private let services: [String: [String: Any]]

    init() throws {
        let text = try String(contentsOf: Self.deploy.appendingPathComponent("compose.yaml"), encoding: .utf8)
        composition = try #require(try Yams.load(yaml: text) as? [String: Any])
        services = try #require(composition["services"] as? [String: [String: Any]])
    }

    private func service(_ name: String) throws -> [String: Any] { try #require(services[name]) }

    /// The parts of `SOURCE:TARGET[:MODE]`, of all volumes of a service.
    private func volumes(_ name: String) throws -> [(source: String, target: String)] {
        try #require(service(name)["volumes"] as? [String]).map { line in
            let parts = line.split(separator: ":").map(String.init)
            try #require(parts.count == 2 || parts.count == 3 && parts[2] == "ro", "\(line)")
            return (parts[0], parts[1])
        }
    }

    @Test func `uses only known keys`() {
        #expect(Set(composition.keys) == ["name", "services", "volumes", "secrets"])
        // The keys of the compose specification that are used.
        let known: Set = [
            "image", "build", "depends_on", "command", "environment", "ports", "volumes", "secrets", "read_only",
            "tmpfs",
            "cap_drop", "cap_add", "security_opt", "mem_limit", "pids_limit", "ulimits", "stop_grace_period", "restart",
            "healthcheck", "user", "group_add",
        ]
        for (name, service) in services {
            #expect(Set(service.keys).subtracting(known).isEmpty, "\(name)")
        }
    }

    @Test func `limits the resources of both services`() throws {
        #expect(Set(services.keys) == ["edgeprint", "nginx"])
        for (name, service) in services {
            #expect(service["image"] is String, "\(name)")
            #expect(service["read_only"] as? Bool == true, "\(name)")
            #expect(service["cap_drop"] as? [String] == ["ALL"], "\(name)")
            #expect(service["security_opt"] as? [String] == ["no-new-privileges:true"], "\(name)")
            #expect(service["mem_limit"] is String, "\(name)")
            #expect(service["pids_limit"] is Int, "\(name)")
        }
        #expect(try service("edgeprint")["cap_add"] == nil)
    }

    @Test func `declares its volumes and secrets, and names existing files`() throws {
        let declared = try #require(composition["volumes"] as? [String: Any])
        let secrets = try #require(composition["secrets"] as? [String: [String: String]])
        var used: Set<String> = []
        for name in services.keys {
            for (source, target) in try volumes(name) {
                #expect(target.hasPrefix("/"))
                if source.hasPrefix(".") {
                    let file = Self.deploy.appendingPathComponent(source).standardizedFileURL.path
                    #expect(FileManager.default.fileExists(atPath: file), "\(source)")
                } else {
                    used.insert(source)
                }
            }
            for secret in services[name]?["secrets"] as? [[String: String]] ?? [] {
                #expect(secret["source"].flatMap { secrets[$0]?["file"] } != nil, "\(secret)")
            }
        }
        #expect(used == Set(declared.keys))
        let build = try #require(service("edgeprint")["build"] as? [String: String])
        let context = Self.deploy.appendingPathComponent(try #require(build["context"]))
        let dockerfile = context.appendingPathComponent(try #require(build["dockerfile"])).path
        #expect(FileManager.default.fileExists(atPath: dockerfile))
    }

    @Test func `configures a daemon that nginx can reach, with time to stop`() throws {
        let edgeprint = try service("edgeprint")
        let environment = try #require(edgeprint["environment"] as? [String: String])
        let file = Self.checkout.appendingPathComponent("config/edgeprint.yaml").path
        let loader = ConfigurationLoader(environment: environment, flags: ConfigurationLoader.Flags(config: file))
        let configuration = try loader.load()

        guard case .unix(let path) = configuration.listen.first, configuration.listen.count == 1 else {
            Issue.record("listens on \(configuration.listen)")
            return
        }
        let shared = try volumes("edgeprint").filter { $0.source == "socket" }.map(\.target)
        #expect(try volumes("nginx").filter { $0.source == "socket" }.map(\.target) == shared)
        #expect(shared.contains { path.hasPrefix($0 + "/") })
        // nginx reaches it through a link at the path in its configuration.
        let command = try #require(service("nginx")["command"] as? [String]).joined(separator: "\n")
        let site = try String(contentsOf: Self.deploy.appendingPathComponent("nginx.conf"), encoding: .utf8)
        #expect(command.contains("ln -sf \(path.dropFirst("/run/".count)) /run/edgeprint.sock"))
        #expect(site.contains("server unix:/run/edgeprint.sock"))

        let cache = configuration.cache.path
        #expect(try volumes("edgeprint").contains { $0.source == "cache" && $0.target == cache })
        let grace = try #require(edgeprint["stop_grace_period"] as? String)
        #expect(try #require(Int(grace.dropLast())) * 1000 > configuration.shutdown.grace)
    }
}
