import ImagePlan
import TestSupport
import Testing

@testable import ProxyServer

/// `GET /placeholder/WIDTHxHEIGHT/COLOUR.FORMAT`, through the real daemon.
@Suite(.timeLimit(.minutes(1)))
struct PlainPictureRouteTests {
    private func rig(_ extra: String = "") throws -> EndToEndRig {
        try EndToEndRig(extra, script: ScriptedOrigin.pictures([:]))
    }

    @Test func `serves the size, colour and format of the path`() throws {
        let rig = try rig()
        for (name, format) in [("png", PlainPicture.Format.png), ("webp", .webp), ("jpeg", .jpeg), ("jpg", .jpeg)] {
            let answer = try rig.get("/placeholder/300x200/ff8800.\(name)")
            let expected = PlainPicture(
                size: PixelSize(width: 300, height: 200),
                color: Color(red: 0xFF, green: 0x88, blue: 0)
            )
            #expect(answer.status == 200 && answer["Content-Type"] == format.mediaType, "\(answer.description)")
            #expect(answer.body == expected.encoded(as: format))
            #expect(answer["Cache-Control"] == "public, max-age=31536000, immutable" && answer["Vary"] == nil)
        }
    }

    @Test func `says whether it was made for this response`() throws {
        let rig = try rig()
        for status in ["edgeprint; detail=generated", "edgeprint; hit; detail=memory"] {
            #expect(try rig.get("/placeholder/300x200/f80.png")["Cache-Status"] == status)
        }
        #expect(try rig.get("/placeholder/300x200/ff8800.png")["Cache-Status"] == "edgeprint; hit; detail=memory")
    }

    @Test func `without a format, Accept decides; without a colour, it is grey`() throws {
        let rig = try rig()
        let plain = try rig.get("/placeholder/30x20")
        #expect(plain["Content-Type"] == "image/png" && plain["Vary"] == "Accept")
        #expect(PictureHeader.size(ofPNG: plain.body) == [30, 20])
        #expect(plain.body.firstRange(of: Array("PLTE".utf8) + [0xE0, 0xE0, 0xE0]) != nil)
        for accept in ["image/webp", "image/avif,image/webp,*/*"] {
            let answer = try rig.get("/placeholder/30x20/00ff0080", [("Accept", accept)])
            #expect(answer["Content-Type"] == "image/webp" && answer["Vary"] == "Accept")
        }
    }

    @Test func `is conditional`() throws {
        let rig = try rig()
        let tag = try #require(try rig.get("/placeholder/30x20.png")["ETag"])
        let confirmed = try rig.get("/placeholder/30x20.png", [("If-None-Match", tag)])
        #expect(confirmed.status == 304 && confirmed["ETag"] == tag && confirmed["Content-Type"] == nil)
        #expect(try rig.get("/placeholder/30x20/000.png", [("If-None-Match", tag)]).status == 200)
    }

    @Test(arguments: [
        ("/placeholder/0x5", "sides from 1 to 4096"), ("/placeholder/4097x5.png", "placeholders.largest"),
        ("/placeholder/5", "sides from 1"), ("/placeholder/5x", "sides from 1"), ("/placeholder/", "sides from 1"),
        ("/placeholder/5x5/zzz.png", "must be a colour"), ("/placeholder/5x5/fff/1.png", "wrong number of segments"),
        ("/placeholder/5x5.gif", "must end with .png"), ("/placeholder/5x5.pmg", "did you mean png?"),
        ("/placeholder/5x5.png?w=3", "takes no parameters"),
    ])
    func `other paths are 400, and say what is wrong`(_ target: String, _ reason: String) throws {
        let answer = try rig().get(target)
        #expect(answer.status == 400 && answer.text.contains(reason), "\(answer.text)")
    }

    @Test func `needs a signature where all requests do, and can be turned off`() throws {
        let key = String(repeating: "ab", count: 32)
        let signed = try rig("signing: { keys: [\(key)], required: true }")
        #expect(try signed.get("/placeholder/5x5.png").status == 403)
        let off = try rig("placeholders: { largest: 0 }")
        #expect(try off.get("/placeholder/5x5.png").status == 404)
    }

    @Test func `no source can have this name`() {
        let found = problems("sources: { placeholder: { url: \"https://a.example/\" } }")
        #expect(found.count == 1 && found[0].contains("is reserved for plain images"))
    }

    @Test func `a source without a cache cannot have placeholders for slow images`() {
        let found = problems("sources: { a: { url: \"https://a.example/\", cache: none, slow-miss: placeholder } }")
        #expect(found.count == 1 && found[0].contains("sources.a.slow-miss: placeholder requires a cache"), "\(found)")
    }
}
