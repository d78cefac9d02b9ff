import Foundation
import HTTPKit
import TestSupport
import Testing
import Yams

@testable import ProxyServer

/// `deploy/kubernetes`, as far as it can be checked without a cluster; `scripts/check-deploy` checks the schemas.
@Suite(.timeLimit(.minutes(1)))
struct KubernetesTests {
    private typealias Object = [String: Any]
    private static let folder = Checkout.path("deploy/kubernetes/")
    private static let label = ["app.kubernetes.io/name": "edgeprint"]

    private static func objects(_ name: String) throws -> [Object] {
        let text = try String(contentsOfFile: folder + name, encoding: .utf8)
        return try Yams.load_all(yaml: text).map { try #require($0 as? Object) }
    }

    private let workload: Object
    private let pod: Object
    private let container: Object

    init() throws {
        workload = try #require(Self.objects("statefulset.yaml").first)
        let template = try #require((workload["spec"] as? Object)?["template"] as? Object)
        pod = try #require(template["spec"] as? Object)
        let containers = try #require(pod["containers"] as? [Object])
        #expect(containers.count == 1)
        container = try #require(containers.first)
    }

    private func value<Value>(_ path: String..., in object: Object, as: Value.Type = Value.self) throws -> Value {
        var found: Any? = object
        for name in path { found = (found as? Object)?[name] }
        return try #require(found as? Value, "\(path)")
    }

    @Test func `the kustomization names every file`() throws {
        let kustomization = try #require(Self.objects("kustomization.yaml").first)
        let resources = try #require(kustomization["resources"] as? [String])
        let generators = try #require(kustomization["configMapGenerator"] as? [Object])
        let files = generators.flatMap { $0["files"] as? [String] ?? [] }
        let there = try FileManager.default.contentsOfDirectory(atPath: Self.folder)
        #expect(Set(resources + files + ["kustomization.yaml"]) == Set(there))
        for name in resources {
            for object in try Self.objects(name) {
                #expect(object["apiVersion"] is String && object["kind"] is String, "\(name)")
            }
        }
    }

    @Test func `the pod has no privileges, and limits`() throws {
        let security = try value("securityContext", in: container, as: Object.self)
        #expect(security["readOnlyRootFilesystem"] as? Bool == true)
        #expect(security["allowPrivilegeEscalation"] as? Bool == false)
        #expect(try value("capabilities", "drop", in: security) == ["ALL"])
        #expect(try value("securityContext", "runAsNonRoot", in: pod) == true)
        #expect(try value("securityContext", "seccompProfile", "type", in: pod) == "RuntimeDefault")
        #expect(pod["automountServiceAccountToken"] as? Bool == false)
        #expect(try value("resources", "limits", "memory", in: container) == "2Gi")
        #expect(try value("resources", "limits", "cpu", in: container) == "2")
        for probe in ["startupProbe", "readinessProbe", "livenessProbe"] { #expect(container[probe] is Object) }
    }

    @Test func `variables of a service named edgeprint are not set, and would not be settings`() throws {
        #expect(pod["enableServiceLinks"] as? Bool == false)
        let file = Self.folder + "edgeprint.yaml"
        let linked = ConfigurationLoader(
            environment: ["EDGEPRINT_SERVICE_HOST": "10.0.0.1", "EDGEPRINT_PORT_80_TCP": "tcp://10.0.0.1:80"],
            flags: ConfigurationLoader.Flags(config: file)
        )
        #expect(throws: Never.self) { try linked.load() }
    }

    @Test func `the configuration is valid with the container's environment, and fits its volumes and time`() throws {
        let variables = try #require(container["env"] as? [[String: String]])
        var environment = ["EDGEPRINT_LISTEN": "0.0.0.0:8080"]
        for variable in variables { environment[try #require(variable["name"])] = variable["value"] }
        let file = Self.folder + "edgeprint.yaml"
        let loader = ConfigurationLoader(environment: environment, flags: ConfigurationLoader.Flags(config: file))
        let configuration = try loader.load()

        let mounts = try #require(container["volumeMounts"] as? [Object]).compactMap { $0["mountPath"] as? String }
        #expect(Set(mounts) == ["/etc/edgeprint", "/var/cache/edgeprint", "/run/edgeprint", "/tmp"])
        #expect(mounts.contains(configuration.cache.path))
        let names = try #require(container["volumeMounts"] as? [Object]).compactMap { $0["name"] as? String }
        let volumes = try #require(pod["volumes"] as? [Object]).compactMap { $0["name"] as? String }
        let claims = try value("spec", "volumeClaimTemplates", in: workload, as: [Object].self)
        let claim = try #require(claims.first)
        #expect(try Set(names) == Set(volumes + [value("metadata", "name", in: claim)]))
        // 20 GiB of volume for both quotas.
        #expect(try value("spec", "resources", "requests", "storage", in: claim) == "20Gi")
        #expect(configuration.cache.originals + configuration.cache.variants <= 18 << 30)

        let grace = try #require(pod["terminationGracePeriodSeconds"] as? Int)
        let stop = try value("lifecycle", "preStop", "exec", "command", in: container, as: [String].self)
        let pause = try #require(Int(stop[1]))
        #expect(grace * 1000 > pause * 1000 + configuration.shutdown.grace)
    }

    @Test func `services, policy and budget select the pods`() throws {
        let template = try value("spec", "template", "metadata", "labels", in: workload, as: [String: String].self)
        #expect(template == Self.label)
        #expect(try value("spec", "selector", "matchLabels", in: workload) == Self.label)
        let services = try Self.objects("service.yaml")
        for service in services { #expect(try value("spec", "selector", in: service) == Self.label) }
        let headless = try services.filter {
            try value("spec", in: $0, as: Object.self)["clusterIP"] as? String == "None"
        }
        let name: String = try value("spec", "serviceName", in: workload)
        let names: [String] = try headless.map { try value("metadata", "name", in: $0) }
        #expect(names == [name])
        let policy = try #require(Self.objects("networkpolicy.yaml").first)
        #expect(try value("spec", "podSelector", "matchLabels", in: policy) == Self.label)
        let budget = try #require(Self.objects("poddisruptionbudget.yaml").first)
        #expect(try value("spec", "selector", "matchLabels", in: budget) == Self.label)
    }

    @Test func `the probes succeed against a ready daemon, and readiness fails without one`() throws {
        let folder = try TemporaryFolder()
        let daemon = try DaemonProcess("cache: { path: \"\(folder.path)/cache\" }\n", in: folder)
        try daemon.waitUntilReady()
        for probe in ["startupProbe", "livenessProbe"] {
            let path: String = try value(probe, "httpGet", "path", in: container)
            #expect(try RawHTTPClient(port: daemon.port).get(path).status == 200)
        }
        let command: [String] = try value("readinessProbe", "exec", "command", in: container)
        #expect(command.count == 3 && command[0] == "bash")
        func probe(port: UInt16) throws -> Int32 {
            let script = command[2].replacing("8081", with: "\(port)")
            return try CommandRun(program: "/bin/bash", [command[1], script]).code
        }
        #expect(try probe(port: daemon.admin) == 0)
        // Not the admin listener.
        #expect(try probe(port: daemon.port) != 0)
        daemon.killNow()
        #expect(try probe(port: daemon.admin) != 0)
    }
}
