import Foundation
import Glibc
import TestSupport
import Testing

/// nginx sends content files itself (`answers.accel-redirect`), with a real nginx and `deploy/nginx.conf`.
@Suite(.timeLimit(.minutes(2)), .enabled(if: NginxFront.isInstalled, "nginx is not installed"))
struct NginxRedirectTests {
    private static let setting =
        "answers: { accel-redirect: { prefix: /edgeprint-cache/, from: 1KiB }, server-timing: on }"
    private static let disk = "cache: disk, placeholder: headers"
    private static let redirects = "edgeprint_accel_redirects_total"
    private static let modified = "Sun, 06 Nov 1994 08:49:37 GMT"

    private func front(source: String = ", \(Self.disk)", sources: String = "", _ extra: String = "") throws
        -> NginxFront
    {
        let fields = ["Cache-Control: max-age=600, stale-if-error=60", "Last-Modified: \(Self.modified)"]
        return try NginxFront(Self.setting + "\n" + extra, source: source, sources: sources, fields: fields)
    }

    /// Requests a target until it is a hit of the given tier; its response.
    private func hit(
        _ target: String,
        _ tier: String = "disk",
        _ front: NginxFront,
        at port: UInt16? = nil
    ) throws -> (head: [String], body: Data) {
        try waitFor {
            let response = try front.response(target, at: port ?? front.port, [])
            try #require(response.head[0].contains(" 200"), "\(response.head)")
            let isHit = response.head.contains { $0.hasPrefix("cache-status: edgeprint; hit; detail=\(tier)") }
            // The placeholder is computed in the background.
            let isComplete = tier == "memory" || response.head.contains { $0.hasPrefix("x-thumbhash: ") }
            return isHit && isComplete ? response : nil
        }
    }

    /// The content files of the cache.
    private func files(_ front: NginxFront) -> [String] {
        let root = front.folder.path + "/cache/variants"
        let names = FileManager.default.subpaths(atPath: root) ?? []
        return names.filter { $0.utf8.count > 60 }.map { root + "/" + $0 }
    }

    /// The lines whose values may differ from one moment to the next have their names only.
    private func comparable(_ head: [String]) -> [String] {
        head.map { line in
            let name = line.prefix { $0 != ":" }.lowercased()
            return ["date", "age", "server-timing"].contains(name) ? name : line
        }
        .sorted()
    }

    private static let targets = [
        "/photos/a.png?w=128&format=png", "/photos/b.png?w=96&format=auto", "/photos/c.png?w=100&blur=1&format=png",
        "/photos/d.png?w=120&format=png&download=1&filename=%C3%A4.png",
    ]

    @Test(arguments: targets) func `a response with a redirect is the same as one without`(target: String) throws {
        let front = try front()
        for version in ["--http1.1", "--http2"] { try compare(target, version, front) }
    }

    private func compare(_ target: String, _ version: String, _ front: NginxFront) throws {
        let known = try hit(target, "disk", front)
        let tag = try #require(known.head.first { $0.hasPrefix("etag: ") }?.dropFirst(6))
        let conditions: [[String]] = [
            [], ["-I"], ["-r", "5-99"], ["-r", "-7"], ["-r", "999999-"], ["-r", "0-1,5-6"],
            ["-H", "If-None-Match: \(tag)"], ["-H", "If-None-Match: \"x\""],
            ["-H", "If-Modified-Since: \(Self.modified)"],
            ["-H", "If-Modified-Since: Sat, 05 Nov 1994 08:49:37 GMT"], ["-H", "If-Match: \"x\""],
            ["-r", "0-9", "-H", "If-Range: \(tag)"], ["-r", "0-9", "-H", "If-Range: \"x\""],
            ["-H", "If-Range: \(tag)"],
            ["-H", "Accept: image/webp,*/*"], ["-H", "Accept-Encoding: gzip"], ["-H", "Sec-CH-Width: 40"],
        ]
        for condition in conditions {
            let arguments = condition + [version]
            // Other variants have to be made first.
            let isOther = condition.contains { $0.hasPrefix("Accept: ") || $0.hasPrefix("Sec-CH-Width: ") }
            for port in [front.port, front.plainPort] where isOther {
                try waitWhile(
                    !front.response(target, at: port, arguments).head.contains { line in
                        let line = line.lowercased()
                        return line.hasPrefix("cache-status: edgeprint; hit; detail=disk")
                            || line.hasPrefix("http/") && line.contains(" 4")
                    }
                )
            }
            let before = try front.metric(Self.redirects)
            let redirected = try front.response(target, at: front.port, arguments)
            let after = try front.metric(Self.redirects)
            let direct = try front.response(target, at: front.plainPort, arguments)
            #expect(comparable(redirected.head) == comparable(direct.head), "\(condition)")
            // With -I, curl writes the head, and its date, where the body would be.
            #expect(condition == ["-I"] || redirected.body == direct.body, "\(condition)")
            // Everything with a condition or a range is answered by the daemon.
            let isDirect = condition.contains {
                ["-I", "-r"].contains($0) || $0.hasPrefix("If-") && !$0.hasPrefix("If-Range")
            }
            #expect(after == before + (isDirect ? 0 : 1), "\(condition)")
            #expect(try front.metric(Self.redirects) == after, "\(condition)")
        }
    }

    @Test func `counts the bytes that nginx sends`() throws {
        let front = try front()
        let target = "/photos/a.png?w=128&format=png"
        let body = try hit(target, "disk", front).body
        let names = ["edgeprint_accel_redirect_bytes_total", "edgeprint_response_bytes_total"]
        let before = try names.map(front.metric)
        #expect(try front.response(target, at: front.port, []).body == body)
        let after = try names.map(front.metric)
        #expect(after[0] == before[0] + body.count && after[1] > before[1] + body.count)
    }

    @Test func `an image in memory is sent from its file, too`() throws {
        let front = try front(source: "")
        let target = "/photos/a.png?w=128&format=png"
        _ = try front.response(target, at: front.port, [])
        try waitWhile(files(front).isEmpty)
        // The first hit has the file looked up.
        let body = try waitFor {
            let body = try hit(target, "memory", front).body
            return try front.metric(Self.redirects) == 0 ? nil : body
        }
        let direct = try front.response(target, at: front.plainPort, [])
        #expect(body == direct.body && direct.head.contains { $0.contains("hit; detail=memory") })
    }

    @Test func `an image whose file is gone is sent by the daemon in the same exchange`() throws {
        let front = try front()
        let target = "/photos/d.png?w=120&format=png&download=1"
        // nginx has never opened the file. The daemon has: the first hit may open none for later requests.
        _ = try hit(target, "disk", front, at: front.plainPort)
        let known = try hit(target, "disk", front, at: front.plainPort)
        #expect(try front.metric(Self.redirects) == 0)
        for file in files(front) { TemporaryFolder.delete(file) }
        for count in 1...2 {
            let response = try front.response(target, at: front.port, [])
            #expect(comparable(response.head) == comparable(known.head) && response.body == known.body)
            let redirects = try front.metric(Self.redirects)
            // Once the file has been missed, there need be no other redirect.
            #expect((1...count).contains(redirects), "\(redirects) redirects")
        }
        // Conditions are answered as ever.
        let part = try front.response(target, at: front.port, ["-r", "3-9"])
        #expect(part.head[0].contains(" 206") && part.body == known.body.dropFirst(3).prefix(7))
    }

    @Test func `no client learns a path or names a file`() throws {
        let front = try front()
        let target = "/photos/a.png?w=128&format=png"
        let known = try hit(target, "disk", front)
        let path = try #require(files(front).first).replacing(front.folder.path + "/cache/", with: "/edgeprint-cache/")
        let redirects = try front.metric(Self.redirects)
        // Directly: no proxy is trusted there.
        let direct = try RawHTTPClient(port: front.daemon.port).get(target, [("X-Sendfile-Type", "X-Accel-Redirect")])
        #expect(direct.status == 200 && direct.body.count == known.body.count && direct["X-Accel-Redirect"] == nil)
        #expect(try front.metric(Self.redirects) == redirects)
        // Through nginx: its own offer counts, and the location is internal.
        for field in ["X-Sendfile-Type: none", "X-Sendfile-Type: X-Accel-Redirect", "X-Accel-Redirect: \(path)"] {
            let response = try front.response(target, at: front.port, ["-H", field])
            #expect(comparable(response.head) == comparable(known.head) && response.body == known.body, "\(field)")
        }
        #expect(try front.metric(Self.redirects) == redirects + 3)
        let hidden = [
            path: " 404", "/edgeprint-cache/variants/": " 404", "/edgeprint-cache/variants/../index.sqlite": " 400",
        ]
        for (target, status) in hidden {
            let response = try front.response(target, at: front.port, [])
            #expect(response.head[0].contains(status), "\(target): \(response.head)")
        }
        let plain = try front.response(target, at: front.plainPort, ["-H", "X-Sendfile-Type: X-Accel-Redirect"])
        #expect(plain.body == known.body)
        #expect(try front.metric(Self.redirects) == redirects + 3)
    }

    @Test func `an origin cannot have nginx send a file`() throws {
        let front = try NginxFront(
            Self.setting,
            sources: "pages: { url: \"ORIGIN/\", allow-private: true, raw: true }",
            fields: [
                "Cache-Control: max-age=600", "X-Accel-Redirect: /edgeprint-cache/variants/x",
                "X-Sendfile: /etc/passwd",
                "X-Other: kept",
            ]
        )
        for _ in 0..<2 {
            let response = try front.response("/pages/a.png", at: front.port, [])
            #expect(response.head[0].contains(" 200") && response.body == Data(NginxFront.picture))
            #expect(response.head.contains("x-other: kept"))
            #expect(!response.head.contains { $0.hasPrefix("x-accel") || $0.hasPrefix("x-sendfile") })
        }
        let requested = try #require(front.origin.heads.first)
        #expect(ScriptedRequest.field("X-Sendfile-Type", in: requested) == nil)
    }

    @Test func `a purged image is not redirected to`() throws {
        let front = try front(source: ", \(Self.disk)", "purge: { allow: [127.0.0.1] }")
        let target = "/photos/a.png?w=128&format=png"
        _ = try hit(target, "disk", front)
        #expect(try front.curl("/photos/a.png", "-X", "PURGE").hasPrefix("HTTP/2 200"))
        let redirects = try front.metric(Self.redirects)
        let response = try front.response(target, at: front.port, [])
        #expect(response.head.contains { $0.hasPrefix("cache-status: edgeprint; fwd=uri-miss") })
        #expect(try front.metric(Self.redirects) == redirects)
    }

    @Test func `fields of rules keep the content with the daemon`() throws {
        let front = try front(
            source: ", \(Self.disk)",
            "rules: [{ name: all, match: { source: photos }, set: { response-headers: { X-B: \"c\" } } }]"
        )
        let target = "/photos/a.png?w=128&format=png"
        _ = try hit(target, "disk", front)
        let response = try front.response(target, at: front.port, [])
        #expect(response.head.contains("x-b: c"))
        #expect(try front.metric(Self.redirects) == 0)
    }
}
