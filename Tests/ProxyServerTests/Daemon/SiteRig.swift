import LinuxSystem
import TestSupport

@testable import ProxyServer

/// A daemon with the default site, `shop` by its host and `blog` by a prefix, and one origin for all.
///
/// The origin's pictures have a width that differs with the first segment of their path: 40 for `main`, 60 for `shop`, 80 for `blog`.
final class SiteRig: Sendable {
    let folder: TemporaryFolder
    let origin: ScriptedOrigin
    let daemon: DaemonProcess

    static let listeners = "listen: 127.0.0.1:0\nadmin: { listen: \"127.0.0.1:0\", token: root-token }\n"

    /// - Parameters:
    ///   - shop: further keys of the site `shop`, as `, key: value`.
    ///   - source: further keys of all sources.
    ///   - script: the origin's responses.
    init(
        shop: String = "",
        blog: String = "",
        source: String = "",
        extra: String = "",
        script: ScriptedOrigin.Script? = nil
    ) throws {
        folder = try TemporaryFolder()
        let pictures = [("main", 40), ("shop", 60), ("blog", 80)].map { name, width in
            (name, TestImages.gradient(width: width, height: 30))
        }
        origin = try ScriptedOrigin(
            script ?? { request, connection in
                let segments = request.target.dropFirst().split(separator: "/").map(String.init)
                let picture = pictures.first { $0.0 == segments.first ?? "" }?.1
                guard let picture, segments.last?.hasPrefix("a") == true else {
                    return connection.respond("404 Not Found", text: "no")
                }
                connection.respond("200 OK", ["Cache-Control: max-age=600", "xkey: red"], body: picture)
            }
        )
        let yaml = Self.yaml(origin.url, folder.path, shop: shop, blog: blog, source: source, extra: extra)
        daemon = try DaemonProcess(yaml, in: folder, listeners: Self.listeners)
    }

    /// The configuration without listeners.
    static func yaml(
        _ origin: String,
        _ folder: String,
        shop: String = "",
        blog: String = "",
        source: String = "",
        extra: String = ""
    ) -> String {
        func sources(_ name: String) -> String {
            """
            { photos: { url: "\(origin)/\(name)/", allow-private: true\(source) }, \
            same: { url: "\(origin)/main/", allow-private: true\(source) }, \
            files: { url: "\(origin)/\(name)/", allow-private: true, raw: true, cache: disk } }
            """
        }
        return """
            hosts: [img.example]
            sources: \(sources("main"))
            sites:
              shop: { hosts: [shop.example], token: shop-token, sources: \(sources("shop"))\(shop) }
              blog: { prefix: /blog, token: blog-token, sources: \(sources("blog"))\(blog) }
            cache: { path: "\(folder)/cache", memory: 64MiB }
            \(extra)

            """
    }

    /// Sends one request on a new connection.
    func ask(
        _ method: String,
        _ target: String,
        host: String,
        token: String? = nil,
        _ fields: [String] = []
    ) throws -> RawHTTPResponse {
        let client = try RawHTTPClient(port: daemon.port, timeoutMilliseconds: 20_000)
        let lines = (["Host: \(host)"] + (token.map { ["Authorization: Bearer \($0)"] } ?? []) + fields)
        try client.send("\(method) \(target) HTTP/1.1\r\n\(lines.joined(separator: "\r\n"))\r\n\r\n")
        return try client.readResponse(toHEAD: method == "HEAD")
    }

    /// Sends a GET on a new connection.
    func ask(_ target: String, host: String, token: String? = nil, _ fields: [String] = []) throws -> RawHTTPResponse {
        try ask("GET", target, host: host, token: token, fields)
    }

    /// Sends a purge to the admin listener.
    func purge(_ body: String, token: String?) throws -> RawHTTPResponse {
        let client = try RawHTTPClient(port: daemon.admin)
        let authorization = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
        try client.send(
            "POST /purge HTTP/1.1\r\nHost: localhost\r\n\(authorization)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
        )
        return try client.readResponse()
    }

    /// A path of the admin listener, with the operator's token.
    func admin(_ target: String, token: String = "root-token") throws -> RawHTTPResponse {
        try RawHTTPClient(port: daemon.admin).get(target, [("Authorization", "Bearer \(token)")])
    }

    /// The value of a metric's sample, written as in `/metrics`.
    func metric(_ sample: String) throws -> Double? {
        let lines = try admin("/metrics").text.split(separator: "\n")
        return lines.first { $0.hasPrefix(sample + " ") }.flatMap { Double($0.split(separator: " ").last ?? "") }
    }

    /// Waits until a metric has a value.
    func waitUntil(_ sample: String, is value: Double) throws {
        try waitWhile(metric(sample) != value)
    }

    /// The size of `a.png` on a site.
    func size(_ target: String, host: String) throws -> [Int]? {
        PictureHeader.size(ofPNG: try ask(target, host: host).body)
    }

    func status(_ target: String, host: String) throws -> String? { try ask(target, host: host)["Cache-Status"] }
}
