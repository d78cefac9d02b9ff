import Cluster
import HTTPCache
import HTTPSemantics
import ImagePipeline
import LinuxSystem
import TestSupport

/// Daemons that are the nodes of one cluster, each at an address of its own, and their origin.
final class NodesRig: Sendable {
    let folder: TemporaryFolder
    let origin: ScriptedOrigin
    /// The addresses, such as `127.7.9.1`.
    let hosts: [String]
    let port: UInt16
    private let running: Lock<[DaemonProcess?]>
    private let texts: Lock<[String]>

    static let token = "the-token-of-all-nodes"

    /// Starts the nodes.
    ///
    /// - Parameters:
    ///   - token: the token of each node.
    ///   - askTimeout: how long they wait for each other's first byte.
    ///   - extra: further configuration of each node.
    ///   - script: the origin's responses.
    init(
        _ count: Int = 2,
        token: (Int) -> String = { _ in token },
        askTimeout: String = "30s",
        extra: (Int) -> String = { _ in "" },
        script: @escaping ScriptedOrigin.Script
    ) throws {
        folder = try TemporaryFolder()
        origin = try ScriptedOrigin(script)
        // A port that the system gives to nobody, at addresses that nobody else listens on.
        let net = "127.\(UInt8.random(in: 1...254)).\(UInt8.random(in: 0...254))"
        port = UInt16.random(in: 20_000...30_000)
        hosts = (1...count).map { "\(net).\($0)" }
        let names = hosts.map { [port] in "\"\($0):\(port)\"" }
        let (url, path) = (origin.url, folder.path)
        let texts = hosts.indices.map { index in
            """
            sources:
              photos: { url: "\(url)/", allow-private: true }
              raw: { url: "\(url)/", allow-private: true, raw: true }
            cache: { path: "\(path)/cache-\(index)", memory: 64MiB }
            workers: { count: 1 }
            cluster:
              nodes: [\(names.joined(separator: ", "))]
              node: \(names[index])
              token: \(token(index))
              ask-timeout: \(askTimeout)
              hot: 10m
            \(extra(index))

            """
        }
        self.texts = Lock(texts)
        running = Lock([DaemonProcess?](repeating: nil, count: count))
        for index in hosts.indices { try start(index) }
    }

    /// Starts a node that is not running.
    func start(_ index: Int) throws {
        let own = try TemporaryFolder()
        let daemon = try DaemonProcess(
            texts.withLock { $0[index] },
            in: own,
            listeners: "listen: \(hosts[index]):\(port)\nadmin: { listen: \"127.0.0.1:0\" }\n",
            environment: EndToEndRig.environment,
            output: logFile(index)
        )
        running.withLock { $0[index] = daemon }
    }

    /// Kills a node.
    func kill(_ index: Int) {
        let daemon = running.withLock { $0[index].take() }
        daemon?.killNow()
    }

    func daemon(_ index: Int) throws -> DaemonProcess {
        guard let daemon = running.withLock({ $0[index] }) else { throw Errno(3, "the node is not running") }
        return daemon
    }

    /// The file of a node's access log.
    func logFile(_ index: Int) -> String { "\(folder.path)/access-\(index).log" }

    /// A connection to a node.
    ///
    /// - Parameter from: where the connection starts; `nil` for the system's choice.
    func client(_ index: Int, from: String? = nil) throws -> RawHTTPClient {
        try RawHTTPClient(port: port, host: hosts[index], from: from, timeoutMilliseconds: 50_000)
    }

    /// Sends one request to a node.
    func get(_ index: Int, _ target: String, _ fields: [(String, String)] = []) throws -> RawHTTPResponse {
        try client(index).get(target, fields)
    }

    /// A counter of a node's `/metrics`, summed over all labels; an error if there is none of the name.
    func metric(_ index: Int, _ name: String) throws -> Double {
        let text = try RawHTTPClient(port: daemon(index).admin, timeoutMilliseconds: 20_000).get("/metrics").text
        let values = text.split(separator: "\n").filter { $0.hasPrefix(name + " ") || $0.hasPrefix(name + "{") }
            .compactMap { $0.split(separator: " ").last }.compactMap { Double($0) }
        guard !values.isEmpty else { throw Errno(2, "reading a metric") }
        return values.reduce(0, +)
    }

    /// Sends a purge to a node.
    func purge(_ index: Int, _ body: String) throws -> RawHTTPResponse {
        try RawHTTPClient(port: daemon(index).admin, timeoutMilliseconds: 20_000).post("/purge", body)
    }

    /// The original of a path of the source `photos`.
    func original(_ target: String) throws -> OriginRequest {
        let source = SourceRule(name: "photos", location: .http(prefix: origin.url + "/"))
        return OriginRequest(source: source, url: try OriginURL(origin.url + target.dropFirst("/photos".count)))
    }

    /// Pictures of the source `photos` that a node owns.
    func pictures(_ count: Int, of index: Int, from first: Int = 0) throws -> [String] {
        let placement = Placement(hosts.map { "\($0):\(port)" })
        let owner = placement.names.firstIndex(of: "\(hosts[index]):\(port)")
        var found: [String] = []
        var number = first
        while found.count < count {
            let target = "/photos/a\(number).png"
            if placement.owner(of: try original(target).key.words.0) == owner { found.append(target) }
            number += 1
        }
        return found
    }
}
