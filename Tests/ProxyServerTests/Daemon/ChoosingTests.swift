import TestSupport
import Testing

/// `q=auto` and `auto: smallest`, through the real daemon and its workers.
@Suite(.timeLimit(.minutes(2)))
struct ChoosingTests {
    /// An image that needs many bytes in lossy formats.
    private static func texture(seed: UInt64) -> [UInt8] {
        var generator = SeededGenerator(seed: seed)
        let image = PixelImage(width: 160, height: 120) { x, y in
            let noise = Int.random(in: 0...40, using: &generator)
            return [UInt8(clamping: x + noise), UInt8(clamping: 2 * y + noise), UInt8(clamping: 90 + noise), 255]
        }
        return TestImages.png(width: 160, height: 120, rgba: image.bytes)
    }

    /// Sharp edges between saturated colours: no lossy quality is high enough for it.
    private static let drawing = TestImages.png(
        width: 160,
        height: 120,
        rgba: PixelImage(width: 160, height: 120) { x, y in
            (x / 3 + y / 3).isMultiple(of: 2) ? [250, 20, 20, 255] : [20, 60, 250, 255]
        }.bytes
    )

    private let script = ScriptedOrigin.pictures([
        "a.png": texture(seed: 1), "b.png": texture(seed: 2), "drawing.png": drawing,
    ])

    @Test func `q=auto is searched, counted, and cached like any other quality`() throws {
        let rig = try EndToEndRig(script: script)
        let first = try rig.get("/photos/a.png?format=webp&q=auto")
        #expect(first.status == 200 && first["Content-Type"] == "image/webp", "\(first.description)")
        #expect(try rig.get("/photos/b.png?format=webp&q=auto").status == 200)
        #expect(try rig.metric("edgeprint_quality_searches_total") == 2)
        let again = try rig.get("/photos/a.png?q=auto&format=webp")
        #expect(again["Cache-Status"] == "edgeprint; hit; detail=memory" && again.body == first.body)
        #expect(try rig.metric("edgeprint_quality_searches_total") == 2)
        #expect(try rig.get("/photos/a.png?q=automatic").status == 400)
    }

    @Test func `the quality that was found is told on misses, hits, confirmations, and after a restart`() throws {
        let rig = try EndToEndRig(script: script)
        let target = "/photos/a.png?format=webp&q=auto"
        let told = try #require(try rig.get(target)["X-Quality"])
        let parts = told.split(separator: "; score=").compactMap { Double($0) }
        #expect(parts.count == 2 && (15...95).contains(parts[0]) && (60...90).contains(parts[1]), "\(told)")
        let hit = try rig.get(target)
        #expect(hit["Cache-Status"] == "edgeprint; hit; detail=memory" && hit["X-Quality"] == told)
        #expect(hit["Access-Control-Expose-Headers"]?.contains("X-Quality") == true)
        let client = try RawHTTPClient(port: rig.daemon.port, timeoutMilliseconds: 20_000)
        try client.send("HEAD \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(try client.readResponse(toHEAD: true)["X-Quality"] == told)
        let confirmed = try rig.get(target, [("If-None-Match", hit["ETag"] ?? "")])
        #expect(confirmed.status == 304 && confirmed["X-Quality"] == told)
        // The result of a search that max_bytes overrides, and one without a search.
        #expect(try rig.get("/photos/a.png?format=webp&q=auto&max_bytes=1000")["X-Quality"] == nil)
        #expect(try rig.get("/photos/a.png?format=webp&q=60")["X-Quality"] == nil)
        try rig.waitForStores(4)
        try rig.restartAfterKill()
        let stored = try rig.get(target)
        #expect(stored["Cache-Status"] == "edgeprint; hit; detail=disk" && stored["X-Quality"] == told)
        #expect(stored.body == hit.body)
    }

    @Test func `q by format encodes each format with its own number, once`() throws {
        let rig = try EndToEndRig(script: script)
        let target = "/photos/a.png?bg=ffffff&q=webp:40,avif:20,jpeg:90"
        let webp = try rig.get(target, [("Accept", "image/webp")])
        let avif = try rig.get(target, [("Accept", "image/avif,image/webp")])
        let jpeg = try rig.get(target + "&format=jpeg")
        for (answer, format, number) in [(webp, "webp", 40), (avif, "avif", 20), (jpeg, "jpeg", 90)] {
            #expect(answer["Content-Type"] == "image/\(format)", "\(answer.description)")
            // An AVIF of format=auto has an effort of its own.
            let effort = format == "avif" ? "&effort=1" : ""
            let named = try rig.get("/photos/a.png?bg=ffffff&q=\(number)&format=\(format)\(effort)")
            let isSame = named.body == answer.body
            #expect(isSame, "\(format)")
        }
        let transforms = try rig.metric("edgeprint_transforms_total")
        // The chosen format's number alone counts.
        let other = try rig.get("/photos/a.png?bg=ffffff&q=jpeg:3,webp:40", [("Accept", "image/webp")])
        #expect(other.body == webp.body)
        #expect(try rig.metric("edgeprint_transforms_total") == transforms)
    }

    @Test func `q=auto with a level is searched at the level's distance`() throws {
        let rig = try EndToEndRig(source: ", quality: { distance: 10 }", script: script)
        let sizes = try ["low", "eco", "good", "best"].map { level in
            try rig.get("/photos/a.png?format=webp&q=auto:\(level)").body.count
        }
        #expect(sizes == sizes.sorted() && Set(sizes).count > 2, "\(sizes)")
        // The source's own distance is larger than that of any level.
        #expect(try rig.get("/photos/a.png?format=webp&q=auto").body.count <= sizes[0])
        let wrong = try rig.get("/photos/a.png?format=webp&q=auto:god")
        #expect(wrong.status == 400 && wrong.text.contains("did you mean good?"), "\(wrong.text)")
        let format = try rig.get("/photos/a.png?q=jepg:80")
        #expect(format.status == 400 && format.text.contains("did you mean jpeg?"), "\(format.text)")
    }

    @Test func `auto: smallest serves the smallest of the formats that a client accepts`() throws {
        let rig = try EndToEndRig(source: ", auto: smallest", script: script)
        let target = "/photos/a.png?bg=ffffff&q=70"
        let sizes = try ["jpeg", "png", "webp"].map { try rig.get("\(target)&format=\($0)").body.count }
        let rest = try rig.get(target)
        // Without Accept, a PNG would stay a PNG.
        #expect(rest["Content-Type"] == "image/jpeg" && rest["Vary"] == "Accept")
        #expect(rest.body.count == min(sizes[0], sizes[1]))
        let webp = try rig.get(target, [("Accept", "image/webp")])
        #expect(webp["Vary"] == "Accept" && webp.body.count == sizes.min())
        #expect(webp["Content-Type"] == (sizes[2] <= sizes[0] ? "image/webp" : "image/jpeg"))
        #expect(try rig.get(target, [("Accept", "image/webp")])["Cache-Status"] == "edgeprint; hit; detail=memory")
        #expect(try rig.metric("edgeprint_smallest_total") == 2)
    }

    @Test func `the same request gives the same bytes regardless of earlier requests`() throws {
        let targets = [
            "/photos/drawing.png?format=webp&q=auto", "/photos/a.png?w=100&format=webp&q=auto",
            "/photos/b.png?format=webp&q=auto&max_bytes=3000", "/photos/a.png?format=jpeg&q=auto",
            "/photos/a.png?bg=ffffff", "/photos/a.png?bg=ffffff&blur=12", "/photos/a.png?bg=ffffff&q=auto",
            "/photos/drawing.png?bg=ffffff&w=70&q=auto",
        ]
        var made: [String: (type: String?, body: [UInt8])] = [:]
        var generator = SeededGenerator(seed: 16)
        for order in [targets, targets.reversed(), targets.shuffled(using: &generator)] {
            let rig = try EndToEndRig(source: ", auto: smallest", script: script)
            for target in order {
                let answer = try rig.get(target, [("Accept", "image/webp")])
                #expect(answer.status == 200, "\(target): \(answer.description)")
                let known = made[target] ?? (answer["Content-Type"], answer.body)
                made[target] = known
                #expect(answer["Content-Type"] == known.type, "\(target) in \(order)")
                let isSame = answer.body == known.body
                #expect(isSame, "\(target): \(answer.body.count) and \(known.body.count) bytes")
            }
        }
    }
}
