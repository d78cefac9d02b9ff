import LinuxSystem
import TestSupport

/// A daemon, its origin, and a folder that outlives the daemon.
///
/// Failed downloads are repeated only if a source says so, since most tests count requests.
final class EndToEndRig: Sendable {
    let folder: TemporaryFolder
    let origin: ScriptedOrigin
    private let running: Lock<DaemonProcess>

    /// - Parameters:
    ///   - extra: configuration in addition to the source `photos` and the cache.
    ///   - source: further keys of the source `photos`, as `, key: value`.
    ///   - sources: other sources, each on its own line that begins with a line end.
    ///   - script: the origin's responses.
    init(
        _ extra: String = "",
        source: String = "",
        sources: String = "",
        script: @escaping ScriptedOrigin.Script
    ) throws {
        folder = try TemporaryFolder()
        origin = try ScriptedOrigin(script)
        let yaml = Self.yaml(extra, source: source, sources: sources, origin: origin.url, folder: folder.path)
        running = Lock(try DaemonProcess(yaml, in: folder, environment: Self.environment))
    }

    /// The environment of the daemon: origins count requests, so failed ones are not repeated.
    static let environment = ["EDGEPRINT_LIMITS_RETRIES": "0"]

    var daemon: DaemonProcess { running.withLock { $0 } }

    private static func yaml(
        _ extra: String,
        source: String,
        sources: String = "",
        origin: String,
        folder: String
    ) -> String {
        """
        sources:
          photos: { url: "\(origin)/", allow-private: true\(source) }\(sources)
        cache: { path: "\(folder)/cache", memory: 64MiB }
        \(extra)

        """
    }

    /// The configuration of the rig's daemon without listeners.
    func yaml(_ extra: String = "", source: String = "") -> String {
        Self.yaml(extra, source: source, origin: origin.url, folder: folder.path)
    }

    /// Writes another configuration file, which the daemon reads on a reload.
    func rewrite(_ extra: String = "", source: String = "") throws {
        try daemon.rewrite(yaml(extra, source: source))
    }

    /// Kills the daemon, and starts another one with the same folder and origin.
    ///
    /// - Parameter binary: the other one; by default the one built with the tests.
    func restartAfterKill(_ extra: String = "", source: String = "", binary: String? = nil) throws {
        let yaml = Self.yaml(extra, source: source, origin: origin.url, folder: folder.path)
        try running.withLock { daemon in
            daemon.killNow()
            daemon = try DaemonProcess(yaml, in: folder, environment: Self.environment, binary: binary)
        }
    }

    /// Sends one request on a new connection.
    func get(_ target: String, _ fields: [(String, String)] = []) throws -> RawHTTPResponse {
        try RawHTTPClient(port: daemon.port, timeoutMilliseconds: 20_000).get(target, fields)
    }

    /// Sends one request and returns its `Cache-Status`.
    func cacheStatus(_ target: String) throws -> String? { try get(target)["Cache-Status"] }

    /// Sends a JSON object to the admin listener.
    func post(_ target: String, _ body: String) throws -> RawHTTPResponse {
        try RawHTTPClient(port: daemon.admin, timeoutMilliseconds: 20_000).post(target, body)
    }

    /// Sends a request without content to the admin listener.
    func admin(_ method: String, _ target: String, _ fields: [(String, String)] = []) throws -> RawHTTPResponse {
        try RawHTTPClient(port: daemon.admin, timeoutMilliseconds: 20_000).request(method, target, fields)
    }

    /// A counter or gauge of `/metrics`, summed over all labels, or `nil`.
    func metric(_ name: String) throws -> Double? {
        let text = try RawHTTPClient(port: daemon.admin).get("/metrics").text
        let samples = text.split(separator: "\n").filter { line in
            line.hasPrefix(name + " ") || line.hasPrefix(name + "{")
        }
        guard !samples.isEmpty else { return nil }
        return samples.reduce(0) { $0 + (Double($1.split(separator: " ").last ?? "0") ?? 0) }
    }
}

extension ScriptedOrigin {
    /// A script that serves images by path, fresh for an hour.
    static func pictures(_ pictures: [String: [UInt8]], fields: [String] = ["Cache-Control: max-age=3600"]) -> Script {
        { request, connection in
            let name = String(request.target.dropFirst().prefix { $0 != "?" })
            guard let picture = pictures[name] else {
                connection.respond("404 Not Found", text: "no")
                return
            }
            connection.respond("200 OK", fields, body: picture)
        }
    }
}

/// Reads properties of an encoded image without decoding it.
enum PictureHeader {
    /// Width and height of a PNG, from its IHDR.
    static func size(ofPNG bytes: [UInt8]) -> [Int]? {
        guard bytes.count > 24, bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) else { return nil }
        return [16, 20].map { start in bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) } }
    }
}
