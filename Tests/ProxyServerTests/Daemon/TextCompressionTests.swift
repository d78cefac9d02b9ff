import LinuxSystem
import TestSupport
import Testing

@testable import ProxyServer

/// The content coding gzip of SVG and JSON, through the real daemon (RFC 9110 §8.4.1.3, §12.5.3).
@Suite(.timeLimit(.minutes(1)))
struct TextCompressionTests {
    private static let svg = Array(
        ("<svg xmlns='http://www.w3.org/2000/svg' width='30' height='20'>"
            + String(repeating: "<rect width='30' height='20' fill='#f00'/>", count: 50) + "</svg>").utf8
    )
    private static let gzip = ("Accept-Encoding", "gzip, deflate, br")

    private func rig(_ fields: [String] = ["Cache-Control: max-age=600"], source: String = "") throws -> EndToEndRig {
        try EndToEndRig(
            source: source,
            script: ScriptedOrigin.pictures(
                ["a.svg": Self.svg, "a.png": TestImages.gradient(width: 64, height: 48)],
                fields: fields
            )
        )
    }

    private func expand(_ answer: RawHTTPResponse) -> [UInt8] {
        GzipExpansion(of: answer.body.span, atMost: 1 << 20).bytes
    }

    @Test func `clients that name gzip get it, all others the same bytes uncompressed`() throws {
        let rig = try rig()
        let plain = try rig.get("/photos/a.svg")
        #expect(plain.body == Self.svg && plain["Content-Encoding"] == nil && plain["Vary"] == "Accept-Encoding")
        for value in ["gzip", "br;q=1, x-gzip ; q=0.5", "deflate, GZIP"] {
            let coded = try rig.get("/photos/a.svg", [("Accept-Encoding", value)])
            #expect(coded["Content-Encoding"] == "gzip" && coded["Vary"] == "Accept-Encoding", "\(value)")
            #expect(coded["Content-Length"] == "\(coded.body.count)" && coded.body.count < Self.svg.count / 4)
            #expect(expand(coded) == Self.svg && coded["ETag"] != plain["ETag"])
            #expect(coded["Content-Type"] == "image/svg+xml" && coded["Content-Security-Policy"] != nil)
            #expect(coded["Cache-Status"] == "edgeprint; hit; detail=memory")
        }
        for value in ["", "identity", "*", "gzip;q=0", "gzip; q=0.000", "gzipped", "br"] {
            let answer = try rig.get("/photos/a.svg", [("Accept-Encoding", value)])
            #expect(answer["Content-Encoding"] == nil && answer.body == Self.svg, "\(value)")
            #expect(answer["ETag"] == plain["ETag"])
        }
        #expect(rig.origin.requests == 1)
    }

    @Test func `validators and ranges belong to the coding`() throws {
        let rig = try rig()
        let plain = try rig.get("/photos/a.svg")
        let coded = try rig.get("/photos/a.svg", [Self.gzip])
        let (plainTag, codedTag) = (try #require(plain["ETag"]), try #require(coded["ETag"]))
        let unchanged = try rig.get("/photos/a.svg", [Self.gzip, ("If-None-Match", codedTag)])
        #expect(unchanged.status == 304 && unchanged["ETag"] == codedTag && unchanged["Vary"] == "Accept-Encoding")
        #expect(unchanged["Content-Encoding"] == nil)
        #expect(try rig.get("/photos/a.svg", [Self.gzip, ("If-None-Match", plainTag)]).status == 200)
        #expect(try rig.get("/photos/a.svg", [("If-None-Match", codedTag)]).status == 200)
        let part = try rig.get("/photos/a.svg", [Self.gzip, ("Range", "bytes=2-9"), ("If-Range", codedTag)])
        #expect(part.status == 206 && part.body == Array(coded.body[2...9]) && part["Content-Encoding"] == "gzip")
    }

    @Test func `descriptions are compressed, images and short texts are not`() throws {
        let rig = try rig()
        let json = try rig.get("/photos/a.png?format=json", [Self.gzip])
        #expect(json["Content-Encoding"] == "gzip")
        #expect(try expand(json) == rig.get("/photos/a.png?format=json").body)
        for target in ["a.png", "a.png?w=20&format=webp", "a.png?format=blurhash"] {
            let answer = try rig.get("/photos/\(target)", [Self.gzip])
            #expect(answer["Content-Encoding"] == nil, "\(target)")
            #expect(answer["Vary"]?.contains("Encoding") != true, "\(target)")
        }
    }

    @Test func `the first response, stored ones and cleaned originals are compressed, too`() throws {
        for source in ["", ", originals: clean"] {
            let rig = try rig(source: source)
            let missed = try rig.get("/photos/a.svg", [Self.gzip])
            #expect(missed["Cache-Status"] == "edgeprint; fwd=uri-miss" && missed["Content-Encoding"] == "gzip")
            try rig.waitForStores(source.isEmpty ? 1 : 2)
            try rig.restartAfterKill(source: source)
            let stored = try rig.get("/photos/a.svg", [Self.gzip])
            #expect(stored["Cache-Status"] == "edgeprint; hit; detail=disk" && stored.body == missed.body)
        }
    }

    @Test func `content that its origin forbids to transform keeps its coding`() throws {
        let rig = try rig(["Cache-Control: max-age=600, no-transform"])
        let answer = try rig.get("/photos/a.svg", [Self.gzip])
        #expect(answer["Content-Encoding"] == nil && answer["Vary"] == nil && answer.body == Self.svg)
    }
}
