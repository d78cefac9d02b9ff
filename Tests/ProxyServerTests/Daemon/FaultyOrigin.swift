import CLinux
import Glibc
import LinuxSystem
import TestSupport

/// A daemon with one source, whose origin misbehaves; nothing is remembered about failures.
struct FaultyOrigin {
    /// How the original is requested.
    enum Kind: String, CaseIterable, Sendable {
        /// A variant of an image source.
        case picture
        /// The original of an image source.
        case bare
        /// A response of a raw source.
        case raw

        var source: String { (self == .raw ? ", raw: true" : "") + ", negative: off" }

        /// The target that requests a file.
        func target(_ name: String) -> String { "/photos/\(name)" + (self == .picture ? "?w=4" : "") }
    }

    /// What a client gets.
    enum Answer: Hashable {
        case status(Int)
        /// A response whose connection is closed before its end.
        case cut
    }

    static let picture = TestImages.gradient(width: 8, height: 6)
    /// The response without a fault.
    static let fields = ["ETag: \"v1\"", "Cache-Control: max-age=600", "Content-Type: image/png"]
    static let message = ScriptedConnection.message("200 OK", fields, body: picture)

    let kind: Kind
    let rig: EndToEndRig

    /// - Parameter source: further keys of the source, as `, key: value`.
    init(_ kind: Kind, source: String = "", script: @escaping ScriptedOrigin.Script) throws {
        self.kind = kind
        // Without a sandbox there is no canary, whose descriptors close at any time after the start.
        rig = try EndToEndRig(
            """
            breaker: { failures: 0 }
            timeouts: { first-byte: 400ms, total: 800ms }
            limits: { source-bytes: 200kB }
            workers: { count: 1, sandbox: off }
            """,
            source: kind.source + source,
            script: { request, connection in
                guard !request.target.hasSuffix("/missing") else {
                    return connection.respond("404 Not Found", ["Connection: close"], text: "no")
                }
                script(request, connection)
                connection.close()
            }
        )
        _ = try rig.daemon.waitUntilReady()
        _ = try rig.get(kind.target("missing"))
    }

    /// Requests a file.
    func ask(_ name: String) throws -> Answer {
        do {
            let client = try RawHTTPClient(port: rig.daemon.port, timeoutMilliseconds: 20_000)
            var response = try client.get(kind.target(name))
            while response.status < 200 { response = try client.readResponse() }
            return .status(response.status)
        } catch RawHTTPClient.Failure.closed(_) {
            return .cut
        }
    }

    /// The number of open descriptors of the daemon, once it no longer changes or has a value.
    ///
    /// - Parameter wanted: the value to wait for, up to ten seconds; `nil` to wait for any that stays.
    func descriptors(_ wanted: Int? = nil) -> Int {
        let deadline = SystemTime().monotonic + 10_000_000_000
        var (last, equal) = (-1, 0)
        while SystemTime().monotonic < deadline {
            let count = rig.daemon.openDescriptors
            equal = count == last ? equal + 1 : 0
            last = count
            if let wanted, count == wanted { break }
            if wanted == nil, equal == 10 { break }
            poll(nil, 0, 10)
        }
        return last
    }
}
