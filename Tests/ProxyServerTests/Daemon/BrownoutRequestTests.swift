import Glibc
import LinuxSystem
import TestSupport
import Testing

@testable import ProxyServer

/// `brownout: on` through the real daemon, while its queue of transforms is full.
@Suite(.timeLimit(.minutes(1)))
struct BrownoutRequestTests {
    private static let source = ", brownout: on"
    private static let narrow = "limits: { queue: 1 }\nworkers: { count: 1 }\ntimeouts: { transform: 50s }\n"
    private static let picture = TestImages.gradient(width: 90, height: 60)

    /// A daemon with some stored images and a full queue.
    private final class Overload {
        let rig: EndToEndRig
        let workers: GatedWorkers
        private let blockers: [RawHTTPClient]

        /// - Parameters:
        ///   - extra: further configuration.
        ///   - source: further keys of the source.
        ///   - stored: targets to request before.
        init(_ extra: String = "", source: String = BrownoutRequestTests.source, stored: [String]) throws {
            let yaml = BrownoutRequestTests.narrow + extra
            let names = ["a.png", "b.png", "c.png", "busy.png", "queued.png"]
            let pictures = Dictionary(uniqueKeysWithValues: names.map { ($0, picture) })
            let rig = try EndToEndRig(
                yaml,
                source: source,
                script: ScriptedOrigin.pictures(
                    pictures,
                    fields: ["Cache-Control: max-age=3600", "Last-Modified: \(date)"]
                )
            )
            for target in stored { #expect(try rig.get(target).status == 200, "\(target)") }
            // Each variant, and each original once.
            let originals = Set(stored.map { $0.prefix { $0 != "?" } }).count
            try rig.waitForStores(Double(originals + stored.count { $0.contains("?") }))
            workers = try GatedWorkers(in: rig.folder)
            try rig.restartAfterKill(yaml, source: source, binary: workers.binary)
            try rig.daemon.waitUntilReady()
            workers.close()
            blockers = try ["busy", "queued"].map { name in
                let client = try RawHTTPClient(port: rig.daemon.port, timeoutMilliseconds: 20_000)
                try client.send("GET /photos/\(name).png?w=9&format=png HTTP/1.1\r\nHost: localhost\r\n\r\n")
                try rig.waitUntil(name == "busy" ? "edgeprint_workers_busy" : "edgeprint_transform_queue", is: 1)
                return client
            }
            self.rig = rig
        }

        /// Requests an image until it is the real one.
        func image(_ target: String) throws -> RawHTTPResponse {
            try waitFor {
                let answer = try rig.get(target)
                return answer["ETag"] == nil ? nil : answer
            }
        }
    }

    private static let date = "Fri, 01 Mar 2024 10:00:00 GMT"

    private func expectBrownout(_ answer: RawHTTPResponse, _ status: String, size: [Int]? = nil) {
        #expect(answer.status == 200 && answer["Cache-Status"] == status, "\(answer.description)")
        #expect(answer["Cache-Control"] == "public, max-age=10", "\(answer.description)")
        for field in ["ETag", "Last-Modified", "Age", "Accept-Ranges"] { #expect(answer[field] == nil, "\(field)") }
        #expect(answer["Access-Control-Allow-Origin"] == "*" && answer["X-Content-Type-Options"] == "nosniff")
        if let size { #expect(PictureHeader.size(ofPNG: answer.body) == size) }
    }

    @Test func `each answer names its rung, has a short life and no validators, and the images are made afterwards`()
        throws
    {
        let overload = try Overload(stored: ["/photos/a.png?w=60&format=png", "/photos/b.png"])
        let rig = overload.rig
        let larger = try rig.get("/photos/a.png?w=40&format=png")
        expectBrownout(larger, "edgeprint; hit; detail=brownout-larger", size: [60, 40])
        expectBrownout(
            try rig.get("/photos/b.png?w=40&format=png"),
            "edgeprint; hit; detail=brownout-original",
            size: [90, 60]
        )
        let cropped = try rig.get("/photos/b.png?w=40&h=40&fit=cover&format=png")
        expectBrownout(cropped, "edgeprint; detail=brownout-placeholder", size: [40, 40])
        // A hit stays a hit.
        let hit = try rig.get("/photos/a.png?w=60&format=png")
        #expect(hit["ETag"] != nil && hit["Cache-Status"]?.contains("brownout") == false, "\(hit.description)")
        // An original that has just been fetched, and one that does not exist.
        let fetched = try rig.get("/photos/c.png?w=40&format=png")
        expectBrownout(fetched, "edgeprint; fwd=uri-miss; fwd-status=200; detail=brownout-original", size: [90, 60])
        #expect(try rig.get("/photos/none.png?w=40").status == 404)
        try rig.daemon.waitForLog("requests are answered with what is stored")
        #expect(try rig.metric("edgeprint_brownouts_total") == 4)
        overload.workers.open()
        #expect(PictureHeader.size(ofPNG: try overload.image("/photos/a.png?w=40&format=png").body) == [40, 27])
        // Without another request.
        try rig.waitUntil("edgeprint_brownouts_under_way", is: 0)
        for target in ["/photos/b.png?w=40&format=png", "/photos/b.png?w=40&h=40&fit=cover&format=png"] {
            let made = try rig.get(target)
            #expect(
                made["ETag"] != nil && made["Cache-Status"]?.hasPrefix("edgeprint; hit") == true,
                "\(made.description)"
            )
        }
    }

    @Test func `conditions, ranges, HEAD, negotiation and rules`() throws {
        let rules = """
            rules: [{ match: { source: photos }, set: { response-headers: { X-Shop: a, Cache-Control: "max-age=99", CDN-Cache-Control: "max-age=99" } } }]
            """
        let overload = try Overload(rules, stored: ["/photos/a.png?w=60"])
        let rig = overload.rig
        let target = "/photos/a.png?w=40"
        let fields = [("If-None-Match", "*"), ("Range", "bytes=0-9"), ("If-Modified-Since", Self.date)]
        for field in fields {
            let answer = try rig.get(target, [field])
            expectBrownout(answer, "edgeprint; hit; detail=brownout-larger", size: [60, 40])
            #expect(answer["Vary"] == "Accept, Save-Data" && answer["X-Shop"] == "a", "\(answer.description)")
            #expect(answer["CDN-Cache-Control"] == nil, "a targeted field precedes Cache-Control (RFC 9213)")
        }
        let client = try RawHTTPClient(port: rig.daemon.port)
        try client.send("HEAD \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n")
        let head = try client.readResponse(toHEAD: true)
        #expect(head.status == 200 && head["Cache-Status"] == "edgeprint; hit; detail=brownout-larger")
        // Another bucket has no larger variant, but the original suits every browser.
        let webp = try rig.get(target, [("Accept", "image/webp")])
        expectBrownout(webp, "edgeprint; hit; detail=brownout-original", size: [90, 60])
    }

    @Test func `downloads, descriptions and sources without brownout are 503`() throws {
        let overload = try Overload(stored: ["/photos/a.png?w=60&format=png"])
        for target in ["/photos/a.png?w=40&format=png&download=1", "/photos/a.png?format=json"] {
            let answer = try overload.rig.get(target)
            #expect(answer.status == 503 && answer["Cache-Control"] == "no-store", "\(target) \(answer.description)")
            #expect(answer["Retry-After"] != nil)
        }
        let plain = try Overload(source: "", stored: ["/photos/a.png?w=60&format=png"])
        #expect(try plain.rig.get("/photos/a.png?w=40&format=png").status == 503)
    }

    @Test func `an answer does not outlive exp`() throws {
        let overload = try Overload(stored: ["/photos/a.png?w=60&format=png"])
        let expires = SystemTime().wallSeconds + 8
        let answer = try overload.rig.get("/photos/a.png?w=40&format=png&exp=\(expires)")
        #expect(answer.status == 200 && answer["Cache-Status"] == "edgeprint; hit; detail=brownout-larger")
        let lifetime = answer["Cache-Control"]?.split(separator: "=").last.flatMap { Int($0) }
        #expect((lifetime ?? 10) <= 8, "\(answer.description)")
    }

    @Test(arguments: [
        (nil, "public, max-age=10"), ("max-age=1", "public, max-age=10"),
        ("private, max-age=600", "private, max-age=10"),
        ("no-store", "no-store"), ("no-cache, max-age=5", "public, no-cache, max-age=10"),
        ("s-maxage=600, stale-while-revalidate=60, must-revalidate", "public, max-age=10"),
        ("no-transform", "public, max-age=10, no-transform"),
    ])
    func `what the origin says against storing and sharing remains`(said: String?, sent: String) {
        #expect(BrownoutAnswer.cacheControl(said, lifetime: 10) == sent)
    }
}
