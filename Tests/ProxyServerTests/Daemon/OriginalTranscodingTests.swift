import Foundation
import TestSupport
import Testing

/// `jxl-originals`: bare JPEG originals as JPEG XL, through the real daemon and its workers.
@Suite(.timeLimit(.minutes(2)))
struct OriginalTranscodingTests {
    private static let accept = [("Accept", "image/avif,image/webp,image/jxl,*/*")]
    private static let target = "/photos/a.jpg"
    private static let on = ", jxl-originals: on"

    /// A JPEG with grain, so that its JPEG XL is smaller by more than the container needs.
    static func jpeg(seed: UInt64 = 7, side: Int = 240) throws -> [UInt8] {
        var noise = SeededGenerator(seed: seed)
        let image = PixelImage(width: side, height: side * 3 / 4) { x, y in
            let wave = sin(Double(x) / 17) * cos(Double(y) / 13) * 80 + 128
            let grain = Double(noise.next() % 24)
            return [UInt8(wave + grain), UInt8((wave + Double(x % 240)) / 2 + grain), UInt8((wave + 60) / 2), 255]
        }
        let png = TestImages.png(width: side, height: side * 3 / 4, rgba: image.bytes)
        let maker = try EndToEndRig(script: ScriptedOrigin.pictures(["a.png": png]))
        return try maker.get("/photos/a.png?format=jpeg&q=85").body
    }

    private func rig(_ jpeg: [UInt8], source: String = on, fields: [String] = ["Cache-Control: max-age=3600"]) throws
        -> EndToEndRig
    {
        try EndToEndRig(source: source, script: ScriptedOrigin.pictures(["a.jpg": jpeg], fields: fields))
    }

    /// Requests the original until its JPEG XL is there, and returns the first answer and that of the JPEG XL.
    private func transcoded(_ rig: EndToEndRig, _ target: String = target) throws -> (RawHTTPResponse, RawHTTPResponse)
    {
        let before = try rig.metric("edgeprint_recompressions_total") ?? 0
        let first = try rig.get(target, Self.accept)
        #expect(try rig.get(target, Self.accept).body == first.body)
        try rig.waitUntil("edgeprint_recompressions_total", is: before + 1)
        return (first, try rig.get(target, Self.accept))
    }

    @Test func `a client that accepts JPEG XL gets the JPEG, then a smaller JPEG XL, also after a restart`() throws {
        let jpeg = try Self.jpeg()
        let rig = try rig(
            jpeg,
            fields: ["Cache-Control: max-age=3600", "Last-Modified: Wed, 01 Jan 2020 00:00:00 GMT"]
        )
        let (first, later) = try transcoded(rig)
        #expect(
            first.body == jpeg && first["Content-Type"] == "image/jpeg"
                && first["Cache-Status"] == "edgeprint; fwd=uri-miss"
        )
        #expect(later["Content-Type"] == "image/jxl" && later["Cache-Status"] == "edgeprint; hit; detail=memory")
        #expect(later["ETag"] != first["ETag"] && later["Cache-Control"] == "max-age=3600")
        // The JPEG XL from which the original is restored, with its metadata.
        let named = try rig.get("/photos/a.jpg?format=jxl&lossless=1&meta=keep")
        #expect(later.body == named.body && later.body.count < jpeg.count)
        let saved = try #require(try rig.metric("edgeprint_recompression_saved_bytes_total"))
        #expect(Int(saved) == jpeg.count - later.body.count)
        for accept in ["image/webp", "*/*", "image/jxl;q=0", "image/avif,image/webp"] {
            let other = try rig.get(Self.target, [("Accept", accept)])
            #expect(other.body == jpeg && other["Content-Type"] == "image/jpeg" && other["ETag"] == first["ETag"])
            #expect(other["Vary"] == "Accept" && other["Last-Modified"] != nil)
        }
        #expect(first["Vary"] == "Accept" && later["Vary"] == "Accept")
        let missing = try rig.get("/photos/none.jpg", Self.accept)
        #expect(missing.status == 404 && missing["Vary"]?.contains("Accept") == true, "\(missing.description)")
        // The original, the JPEG XL, and the one that was named.
        try rig.waitForStores(3)
        try rig.restartAfterKill(source: Self.on)
        let stored = try rig.get(Self.target, Self.accept)
        #expect(stored["Cache-Status"] == "edgeprint; hit; detail=disk" && stored.body == later.body)
        #expect(stored["ETag"] == later["ETag"] && rig.origin.requests == 2)
    }

    @Test func `ranges and conditions are those of the bytes that are served`() throws {
        let date = "Wed, 01 Jan 2020 00:00:00 GMT"
        let rig = try rig(try Self.jpeg(), fields: ["Cache-Control: max-age=3600", "Last-Modified: \(date)"])
        let (first, later) = try transcoded(rig)
        let (old, new) = (try #require(first["ETag"]), try #require(later["ETag"]))
        func get(_ fields: (String, String)...) throws -> RawHTTPResponse {
            try rig.get(Self.target, Self.accept + fields)
        }
        #expect(try get(("If-None-Match", new)).status == 304)
        #expect(try get(("If-None-Match", old)).body == later.body)
        let part = try get(("Range", "bytes=10-19"), ("If-Range", new))
        #expect(part.status == 206 && part.body == Array(later.body[10..<20]))
        #expect(part["Content-Range"] == "bytes 10-19/\(later.body.count)")
        // A part of the JPEG is never continued with one of the JPEG XL, which has no date of its own.
        for validator in [old, date] {
            let whole = try get(("Range", "bytes=10-19"), ("If-Range", validator))
            #expect(whole.status == 200 && whole.body == later.body)
        }
        #expect(try later["Last-Modified"] == nil && get(("If-Modified-Since", date)).status == 200)
        let client = try RawHTTPClient(port: rig.daemon.port)
        try client.send("HEAD \(Self.target) HTTP/1.1\r\nHost: a\r\nAccept: image/jxl\r\n\r\n")
        let head = try client.readResponse(toHEAD: true)
        #expect(head["Content-Length"] == "\(later.body.count)" && head["ETag"] == new)
        let plain = try rig.get(Self.target, [("If-None-Match", old)])
        #expect(plain.status == 304 && plain["Vary"] == "Accept")
    }

    @Test func `a clean original is transcoded without its metadata, and says that manifests are gone`() throws {
        let secret = Array("at home, 51.5 N".utf8)
        let jpeg = try Self.jpeg()
        let tagged = TestManifests.jpeg(Array(jpeg[..<2]) + UltraHDR.marker(0xFE, secret) + jpeg[2...])
        let rig = try rig(tagged, source: Self.on + ", originals: clean")
        let (first, later) = try transcoded(rig)
        #expect(first["Content-Type"] == "image/jpeg" && later["Content-Type"] == "image/jxl")
        #expect(
            later.body == (try rig.get("/photos/a.jpg?format=jxl&lossless=1").body)
                && later.body.count < first.body.count
        )
        for answer in [first, later] {
            #expect(answer["Content-Credentials"] == "stripped" && answer["Vary"] == "Accept")
        }
        #expect(try rig.get(Self.target).body == first.body)
        // The original, the clean JPEG of each client, the JPEG XL, and the one that was named.
        try rig.waitForStores(5)
        try rig.restartAfterKill(source: Self.on + ", originals: clean")
        #expect(try rig.get(Self.target, Self.accept).body == later.body)
        #expect(try rig.get(Self.target).body == first.body && rig.origin.requests == 1)
    }

    @Test func `an original with manifests or a gain map stays as it is, since no viewer finds these in a JPEG XL`()
        throws
    {
        let jpeg = try Self.jpeg()
        let maker = try EndToEndRig(script: ScriptedOrigin.pictures(["a.jpg": jpeg]))
        let map = try maker.get("/photos/a.jpg?w=40&filter=grayscale&format=jpeg").body
        let files = [
            "signed.jpg": TestManifests.jpeg(jpeg), "hdr.jpg": UltraHDR.file(jpeg, UltraHDR.map(map)), "a.jpg": jpeg,
            "bound.jpg": jpeg,
        ]
        let rig = try EndToEndRig(
            source: Self.on + ", no-transform: obey",
            script: { request, connection in
                let name = String(request.target.dropFirst())
                let field = "Cache-Control: max-age=3600" + (name == "bound.jpg" ? ", no-transform" : "")
                connection.respond("200 OK", [field], body: files[name] ?? [])
            }
        )
        for (name, bytes) in files where name != "a.jpg" {
            for _ in 0..<2 {
                let answer = try rig.get("/photos/\(name)", Self.accept)
                #expect(answer.body == bytes && answer["Content-Type"] == "image/jpeg", "\(name)")
                #expect(answer["Content-Credentials"] == (name == "signed.jpg" ? "present" : nil))
            }
        }
        // One at a time is made, in order, so that the others would have been before.
        #expect(try transcoded(rig).1["Content-Type"] == "image/jxl")
        #expect(try rig.metric("edgeprint_recompressions_total") == 1)
    }

    @Test func `what cannot be transcoded is tried once, and other formats are not`() throws {
        let jpeg = try Self.jpeg()
        // What looks like very many scans is not given to libjxl.
        let scans = UltraHDR.marker(0xFE, (0..<41).flatMap { _ in [0xFF, 0xDA] as [UInt8] })
        let many = Array(jpeg[..<2]) + scans + jpeg[2...]
        let png = TestImages.gradient(width: 64, height: 48)
        let files = ["many.jpg": many, "a.png": png, "a.jpg": jpeg]
        let rig = try EndToEndRig(source: Self.on, script: ScriptedOrigin.pictures(files))
        #expect(try transcoded(rig, "/photos/many.jpg").1.body == many)
        for _ in 0..<3 {
            #expect(try rig.get("/photos/many.jpg", Self.accept).body == many)
            #expect(try rig.get("/photos/a.png", Self.accept).body == png)
        }
        #expect(try transcoded(rig).1["Content-Type"] == "image/jxl")
        let metrics = try RawHTTPClient(port: rig.daemon.admin).get("/metrics").text
        #expect(metrics.contains("edgeprint_recompressions_total{result=\"failed\"} 1\n"))
        #expect(metrics.contains("edgeprint_recompressions_total{result=\"swapped\"} 1\n"))
    }

    @Test func `a purge removes it, and another original is transcoded anew`() throws {
        let (old, new) = (try Self.jpeg(), try Self.jpeg(seed: 8))
        let rig = try EndToEndRig(
            source: Self.on,
            script: { request, connection in
                let isNew = request.target.hasPrefix("/a.jpg") && request.number > 1
                connection.respond("200 OK", ["Cache-Control: max-age=3600"], body: isNew ? new : old)
            }
        )
        let (_, first) = try transcoded(rig)
        #expect(first["Content-Type"] == "image/jxl")
        #expect(try rig.post("/purge", "{\"url\":\"\(rig.origin.url)/a.jpg\"}").status == 200)
        let (again, second) = try transcoded(rig)
        #expect(again.body == new && second["Content-Type"] == "image/jxl" && second.body != first.body)
        #expect(second.body == (try rig.get("/photos/a.jpg?format=jxl&lossless=1&meta=keep").body))
    }

    @Test func `an original that is too large for memory is sent from its file`() throws {
        // The content of comments is kept in the JPEG XL, and does not become smaller.
        var noise = SeededGenerator(seed: 3)
        let jpeg = try Self.jpeg(side: 800)
        let comments = (0..<17).flatMap { _ in
            UltraHDR.marker(0xFE, (0..<65_000).map { _ in UInt8(truncatingIfNeeded: noise.next() % 255) })
        }
        let large = Array(jpeg[..<2]) + comments + jpeg[2...]
        let rig = try rig(large)
        let (first, later) = try transcoded(rig)
        #expect(first.body == large && later["Content-Type"] == "image/jxl" && later.body.count > 1 << 20)
        try rig.waitForStores(2)
        let hit = try rig.get(Self.target, Self.accept)
        #expect(hit["Cache-Status"] == "edgeprint; hit; detail=disk" && hit.body == later.body)
        let part = try rig.get(Self.target, Self.accept + [("Range", "bytes=-5")])
        #expect(part.status == 206 && part.body == Array(later.body.suffix(5)))
        #expect(try rig.get(Self.target).body == large && rig.origin.requests == 1)
    }

    @Test func `it is off by default, and originals that are refused stay so`() throws {
        let jpeg = try Self.jpeg()
        let plain = try rig(jpeg, source: "")
        for _ in 0..<2 {
            let answer = try plain.get(Self.target, Self.accept)
            #expect(answer.body == jpeg && answer["Vary"] == nil)
        }
        let refusing = try EndToEndRig(
            "jxl-originals: on",
            source: ", originals: refuse",
            script: ScriptedOrigin.pictures(["a.jpg": jpeg])
        )
        #expect(try refusing.get(Self.target, Self.accept).status == 403)
        #expect(try refusing.get("/photos/a.jpg?w=20&format=jpeg").status == 200)
    }

    @Test(arguments: [
        ("sources: { a: { url: \"https://a.example/\", originals: refuse, jxl-originals: on } }", "originals: refuse"),
        (
            "sources: { a: { url: \"https://a.example/\", formats: { jxl: read }, jxl-originals: on } }",
            "formats.jxl is read"
        ),
        ("jxl-originals: on\nformats: { jxl: off }", "formats.jxl is off"),
    ])
    func `is refused where it has no effect`(yaml: String, reason: String) {
        let found = problems(yaml)
        #expect(found.contains { $0.contains("jxl-originals") && $0.contains(reason) }, "\(found)")
        #expect(problems(yaml.replacing("jxl-originals: on", with: "jxl-originals: off")).isEmpty)
    }

    @Test func `explain says when the answer is a JPEG XL`() throws {
        let rig = try rig(try Self.jpeg())
        let answer = try rig.admin("GET", "/explain?format=text&path=\(Self.target)&accept=image/jxl")
        #expect(answer.text.contains("once it has been made; until then the JPEG"), "\(answer.text)")
        let other = try rig.admin("GET", "/explain?format=text&path=\(Self.target)&accept=image/webp")
        #expect(other.status == 200 && !other.text.contains("once it has been made"))
    }
}
