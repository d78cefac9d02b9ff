import Cluster
import LinuxSystem
import OriginTransfer
import Testing

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct ClusterSettingTests {
    @Test func `reads nodes from the file and the environment, and the token from a file of its own`() throws {
        let yaml = "cluster: { nodes: [10.0.0.1:8080, \"dns:edge.example:8080\"], node: 10.0.0.1:8080, token: abc }"
        let cluster = try load(yaml).cluster
        #expect(cluster.nodes.map(\.description) == ["10.0.0.1:8080", "dns:edge.example:8080"])
        #expect(cluster.node == NodeAddress("10.0.0.1:8080") && cluster.token.value == "abc")
        #expect(cluster.askTimeout == 2_000 && cluster.hot == 10_000)
        let variables = [
            "EDGEPRINT_CLUSTER_NODES": "10.0.0.1:8080,10.0.0.2:8080", "EDGEPRINT_CLUSTER_TOKEN_FILE": "/run/token",
            "EDGEPRINT_CLUSTER_HOT": "3s",
        ]
        let other = try load(environment: variables, files: ["/run/token": "secret\n"]).cluster
        #expect(other.nodes.count == 2 && other.token.value == "secret" && other.hot == 3_000)
        #expect(try load("").cluster == Configuration.Cluster())
    }

    @Test func `the token is not shown`() throws {
        let text = try load("cluster: { nodes: [10.0.0.1:8080], token: kept-to-ourselves }").yaml
        #expect(!text.contains("kept-to-ourselves") && text.contains("10.0.0.1:8080"))
    }

    @Test(arguments: [
        ("{ nodes: [10.0.0.1:8080] }", "cluster.token: is required with cluster.nodes"),
        ("{ token: abc }", "cluster.token: has no effect without cluster.nodes"),
        ("{ hot: 5s }", "cluster.hot: has no effect without cluster.nodes"),
        ("{ nodes: [10.0.0.1:8080], token: a, node: 10.0.0.2:8080 }", "10.0.0.2:8080 is not in cluster.nodes"),
        ("{ nodes: [10.0.0.1], token: abc }", "expected HOST:PORT or dns:HOST:PORT"),
        ("{ nodes: [10.0.0.1:8080], token: a, node: here }", "cluster.node: expected HOST:PORT"),
    ])
    func `reports contradictions`(_ yaml: String, _ problem: String) {
        let found = problems("cluster: \(yaml)")
        #expect(found.count == 1 && found[0].contains(problem), "\(found)")
    }

    @Test(arguments: ["{ log: \"redis://h\", node: \"\" }", "{ log: \"redis://h\", node: 10.0.0.1:80, hot: 10s }"])
    func `says nothing of settings that have an effect, or are the defaults`(yaml: String) {
        #expect(problems("cluster: \(yaml)").isEmpty)
    }

    @Test func `a name's addresses are not known in advance`() {
        let yaml = "cluster: { nodes: \"dns:edge.example:8080\", token: a, node: 10.0.0.2:8080 }"
        #expect(problems(yaml).isEmpty)
    }

    @Test func `reads the shared store`() throws {
        let cluster = try load(
            """
            cluster:
              log: "redis://127.0.0.1"
              store: s3://pics/shared
              endpoint: "HTTP://127.0.0.1:9000/"
              region: eu-west-1
              access-key: A
              secret-key: s/+
              session-token: t==
              store-budget: 80ms
              store-results: 0ms
              store-queue: 8MiB
            """
        ).cluster
        #expect(
            cluster.bucket
                == ObjectBucket(name: "pics", prefix: "shared/", region: "eu-west-1", endpoint: "http://127.0.0.1:9000")
        )
        #expect(cluster.credentials == .accessKey(id: "A", secret: Secret("s/+"), session: Secret("t==")))
        #expect(cluster.storeBudget == 80 && cluster.storeResults == 0 && cluster.storeQueue == 8 << 20)
        let none = try load("").cluster
        #expect(none.bucket == nil && none.credentials == nil)
    }

    @Test func `shows no secret, and can be read again`() throws {
        let yaml =
            "cluster: { log: \"redis://h\", store: s3://pics/, region: r, access-key: A, secret-key: canary, session-token: canary }"
        let configuration = try load(yaml)
        var shown = configuration.yaml
        dump(configuration, to: &shown)
        #expect(!shown.contains("canary") && configuration.yaml.contains("s3://pics/"))
    }

    @Test(arguments: [
        ("store: http://pics/", "cluster.store: expected a bucket"),
        ("store: s3://pics/", "cluster.store: requires cluster.region, or cluster.endpoint"),
        ("store: s3://p/", "cluster.store: expected a bucket"),
        ("{ store: s3://pics/, region: r, access-key: A }", "cluster.access-key: requires cluster.secret-key"),
        ("{ store: s3://pics/, region: r, secret-key: s }", "cluster.secret-key: requires cluster.access-key"),
        ("{ store: s3://pics/, region: r, session-token: s }", "cluster.session-token: requires cluster.access-key"),
        ("endpoint: \"http://x\"", "cluster.endpoint: has no effect without cluster.store"),
        ("region: r", "cluster.region: has no effect without cluster.store"),
        ("store-budget: 0ms", "cluster.store-budget: expected a time"),
        ("store-queue: 1KiB", "cluster.store-queue: expected a size"),
        ("{ store: s3://pics/, region: r }", "cluster.store: requires cluster.log"),
        ("stor: x", "cluster.stor: is not a known key; did you mean cluster.store?"),
    ])
    func `names what is wrong`(yaml: String, problem: String) {
        let text = yaml.hasPrefix("{") ? "cluster: \(yaml)" : "cluster:\n  \(yaml)"
        let found = problems(text)
        #expect(found.contains { $0.contains(problem) }, "\(found)")
    }
}
