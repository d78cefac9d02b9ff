import LinuxSystem
import TestSupport

/// A daemon, an origin that it asks, and a folder that outlives the daemon.
final class EndToEndRig: Sendable {
    let folder: TemporaryFolder
    let origin: ScriptedOrigin
    private let running: Lock<DaemonProcess>

    /// - Parameters:
    ///   - extra: configuration beside the source `photos` and the cache.
    ///   - source: further keys of the source `photos`, as `, key: value`.
    ///   - sources: other sources, each on a line of its own that begins with a line end.
    ///   - script: what the origin answers.
    init(
        _ extra: String = "",
        source: String = "",
        sources: String = "",
        script: @escaping ScriptedOrigin.Script
    ) throws {
        folder = try TemporaryFolder()
        origin = try ScriptedOrigin(script)
        let yaml = Self.yaml(extra, source: source, sources: sources, origin: origin.url, folder: folder.path)
        running = Lock(try DaemonProcess(yaml, in: folder))
    }

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

    /// The configuration of the rig's daemon but for its listeners.
    func yaml(_ extra: String = "", source: String = "") -> String {
        Self.yaml(extra, source: source, origin: origin.url, folder: folder.path)
    }

    /// Writes another configuration file, which the daemon reads when it is told to.
    func rewrite(_ extra: String = "", source: String = "") throws {
        try daemon.rewrite(yaml(extra, source: source))
    }

    /// Ends the daemon as a power failure would, and starts another on the same folder and origin.
    func restartAfterKill(_ extra: String = "", source: String = "") throws {
        let yaml = Self.yaml(extra, source: source, origin: origin.url, folder: folder.path)
        try running.withLock { daemon in
            daemon.killNow()
            daemon = try DaemonProcess(yaml, in: folder)
        }
    }

    /// One request on a connection of its own.
    func get(_ target: String, _ fields: [(String, String)] = []) throws -> RawHTTPResponse {
        try RawHTTPClient(port: daemon.port, timeoutMilliseconds: 20_000).get(target, fields)
    }

    /// One request, and nothing but its `Cache-Status`.
    func cacheStatus(_ target: String) throws -> String? { try get(target)["Cache-Status"] }

    /// A counter or gauge of `/metrics`, all labels added up; `nil` where there is none of that name.
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
    /// A script that answers each path with the picture of that name, fresh for an hour.
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

/// What a test reads off an encoded picture without decoding it.
enum PictureHeader {
    /// Width and height of a PNG, from its IHDR.
    static func size(ofPNG bytes: [UInt8]) -> [Int]? {
        guard bytes.count > 24, bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) else { return nil }
        return [16, 20].map { start in bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) } }
    }
}
