import Glibc
import LinuxSystem
import TestSupport

/// Daemons that share a log of purges in a real Valkey, and an origin whose image changes.
final class ClusterRig {
    let log: RedisServer
    let origin: ScriptedOrigin
    /// The colour of the origin's image, which tells its versions apart.
    var version: UInt8 {
        get { shown.version.withLock { $0 } }
        set { shown.version.withLock { $0 = newValue } }
    }
    /// The origin's responses with status 304.
    var notModified: Int { shown.notModified.withLock { $0 } }
    /// Whether the origin keeps its responses back.
    var isHeld: Bool {
        get { shown.isHeld.value }
        set { shown.isHeld.update { $0 = newValue } }
    }
    private let shown: Shown
    private var folders: [TemporaryFolder]
    private(set) var nodes: [DaemonProcess] = []
    /// The configuration of each node, but for its cache.
    let extra: String

    /// What the origin shows.
    private final class Shown: Sendable {
        let version = Lock<UInt8>(1)
        /// Responses with status 304.
        let notModified = Lock(0)
        let isHeld = Signal(false)
    }

    /// Starts daemons that are in touch with the log.
    ///
    /// - Parameters:
    ///   - count: the number of nodes.
    ///   - cluster: further members of `cluster`, as `, key: value`.
    ///   - source: further keys of the source `photos`, as `, key: value`.
    ///   - image: the origin's image in a version.
    init(
        _ count: Int = 2,
        cluster: String = "",
        source: String = "",
        image: @escaping @Sendable (UInt8) -> [UInt8] = { ClusterRig.image($0) }
    ) throws {
        log = try RedisServer()
        let shown = Shown()
        self.shown = shown
        origin = try ScriptedOrigin { request, connection in
            _ = try? shown.isHeld.wait { !$0 }
            let colour = shown.version.withLock { $0 }
            let tag = "\"\(colour)\""
            let fields = ["Cache-Control: max-age=3600", "ETag: \(tag)", "Cache-Tag: cats"]
            guard request.field("If-None-Match") != tag else {
                shown.notModified.withLock { $0 += 1 }
                return connection.respond("304 Not Modified", fields, body: [])
            }
            connection.respond("200 OK", fields, body: image(colour))
        }
        extra = """
            sources:
              photos: { url: "\(origin.url)/", allow-private: true\(source) }
              raw: { url: "\(origin.url)/", allow-private: true, raw: true }
            purge: { allow: [127.0.0.1] }
            cluster: { log: "\(log.location)"\(cluster) }

            """
        folders = try (0..<count).map { _ in try TemporaryFolder() }
        for index in folders.indices { nodes.append(try start(index)) }
        for index in folders.indices { try waitUntil(index, isInTouch: true) }
    }

    /// Starts nodes that share a part of SeaweedFS's bucket; by default, the budget waits for slow machines.
    ///
    /// - Parameter results: results whose making took at least this long are shared.
    convenience init(
        _ count: Int,
        endpoint: String,
        prefix: String,
        budget: String = "20s",
        results: String = "0ms",
        image: @escaping @Sendable (UInt8) -> [UInt8] = { ClusterRig.image($0) }
    ) throws {
        let keys = "access-key: \(SeaweedFS.accessKey), secret-key: \"\(SeaweedFS.secretKey)\""
        let store = "store: \"s3://\(SeaweedFS.bucket)/\(prefix)\", endpoint: \"\(endpoint)\", \(keys)"
        let settings = ", \(store), store-results: \(results), store-budget: \(budget)"
        try self.init(count, cluster: settings, image: image)
    }

    /// The image in a version.
    static func image(_ version: UInt8) -> [UInt8] {
        TestImages.png(width: 4, height: 4, rgba: Array(repeating: [version, 0, 0, 255], count: 16).flatMap(\.self))
    }

    private func start(_ index: Int) throws -> DaemonProcess {
        let folder = folders[index]
        return try DaemonProcess("cache: { path: \"\(folder.path)/cache\" }\n" + extra, in: folder)
    }

    /// Starts another node, and returns its index once it is in touch.
    func add() throws -> Int {
        let index = nodes.count
        folders.append(try TemporaryFolder())
        nodes.append(try start(index))
        try waitUntil(index, isInTouch: true)
        return index
    }

    /// Starts a node again after `killNow`, with its folder.
    func restart(_ index: Int) throws { nodes[index] = try start(index) }

    func get(_ target: String, from index: Int) throws -> RawHTTPResponse {
        try RawHTTPClient(port: nodes[index].port, timeoutMilliseconds: 30_000).get(target)
    }

    func purge(_ target: String, on index: Int, _ fields: [(String, String)] = []) throws -> RawHTTPResponse {
        try RawHTTPClient(port: nodes[index].port, timeoutMilliseconds: 30_000).request("PURGE", target, fields)
    }

    func post(_ body: String, to index: Int) throws -> RawHTTPResponse {
        try RawHTTPClient(port: nodes[index].admin, timeoutMilliseconds: 30_000).post("/purge", body)
    }

    /// A metric without labels; `nil` if it is not reported.
    func metric(_ name: String, of index: Int) throws -> Double? {
        let text = try RawHTTPClient(port: nodes[index].admin, timeoutMilliseconds: 30_000).get("/metrics").text
        return text.split(separator: "\n").first { $0.hasPrefix(name + " ") }
            .flatMap { $0.split(separator: " ").last }.flatMap { Double($0) }
    }

    /// The sum of a metric's samples whose labels contain a text; `nil` if it is not reported.
    func sum(_ name: String, _ label: String = "", of index: Int) throws -> Double? {
        let text = try RawHTTPClient(port: nodes[index].admin, timeoutMilliseconds: 30_000).get("/metrics").text
        let lines = text.split(separator: "\n").filter { $0.hasPrefix(name) && $0.contains(label) }
        let values = lines.compactMap { $0.split(separator: " ").last }.compactMap { Double($0) }
        return values.isEmpty ? nil : values.reduce(0, +)
    }

    /// Polls until a node is in touch, or is not.
    func waitUntil(_ index: Int, isInTouch: Bool) throws {
        try waitWhile(metric("edgeprint_cluster_in_touch", of: index) != (isInTouch ? 1 : 0))
    }

    /// Polls until a node serves a version.
    func waitUntil(_ index: Int, serves version: UInt8, _ target: String = "/photos/cat.png") throws {
        try waitWhile(get(target, from: index).body != Self.image(version))
    }
}
