import Foundation
import TestSupport
import Testing

/// Limits for requests without a signature, through the real daemon.
@Suite(.timeLimit(.minutes(1)))
struct UnsignedRequestTests {
    private let pictures = [
        "a.png": TestImages.gradient(width: 640, height: 480), "logo.png": TestImages.gradient(width: 20, height: 10),
    ]
    private static let signing = "signing: { keys: [\(String(repeating: "ab", count: 32))] }\n"

    private func rig(_ unsigned: String, _ extra: String = "") throws -> EndToEndRig {
        try EndToEndRig(
            Self.signing + extra,
            source: ", unsigned: \(unsigned)",
            script: ScriptedOrigin.pictures(pictures)
        )
    }

    private func url(_ rig: EndToEndRig, _ arguments: String...) throws -> String {
        let made = try CommandRun(["url"] + arguments + ["--config", rig.daemon.configurationFile])
        #expect(made.code == 0, "\(made.errors)")
        return String(made.output.dropLast())
    }

    private func explain(_ rig: EndToEndRig, _ target: String) throws -> String {
        try CommandRun(["explain", target, "--config", rig.daemon.configurationFile]).output
    }

    @Test func `four clients with four widths cost one transform`() throws {
        let rig = try rig("{ widths: [160, 320, 480] }")
        for width in [321, 350, 400, 480] {
            let answer = try rig.get("/photos/a.png?w=\(width)&format=png")
            #expect(answer.status == 200 && PictureHeader.size(ofPNG: answer.body) == [480, 360], "\(width)")
        }
        #expect(try rig.cacheStatus("/photos/a.png?w=200&dpr=2&format=png") == "edgeprint; hit; detail=memory")
        #expect(try rig.cacheStatus("/photos/a.png?w=999&format=png") == "edgeprint; hit; detail=memory")
        #expect(try rig.metric("edgeprint_transforms_total") == 1)
        // Signed requests have the width that they ask for.
        let signed = try rig.get(url(rig, "photos/a.png", "w=350", "format=png"))
        #expect(PictureHeader.size(ofPNG: signed.body)?[0] == 350)
        let scoped = try url(rig, "photos/a.png", "--scope", "w:100-400,format:png")
        #expect(PictureHeader.size(ofPNG: try rig.get(scoped + "&w=350&format=png").body)?[0] == 350)
        #expect(PictureHeader.size(ofPNG: try rig.get(scoped + "&w=351&format=png").body)?[0] == 351)
        let refused = try rig.get(scoped + "&w=401&format=png")
        #expect(refused.status == 403 && refused.text.contains("\"parameter\":\"w\""), "\(refused.text)")
        let told = try explain(rig, "/photos/a.png?w=350&h=300&format=png")
        #expect(told.contains("480, instead of 350 without a signature (unsigned)"), "\(told)")
    }

    @Test func `client hints choose among the listed widths, also with snap: refuse`() throws {
        let rig = try rig("{ widths: [160, 320], snap: refuse }, client-hints: [width, dpr]")
        for (hint, width) in [(nil, 320), ("100", 320), ("9999", 320), ("x", 320)] as [(String?, Int)] {
            let fields = hint.map { [("Sec-CH-Width", $0)] } ?? []
            let answer = try rig.get("/photos/a.png?w=auto&format=png", fields)
            #expect(answer.status == 200 && PictureHeader.size(ofPNG: answer.body)?[0] == width, "\(answer.text)")
        }
        let narrow = try self.rig(
            "{ widths: [160, 320], snap: refuse }, client-hints: [width, dpr]",
            "ladder: { widths: [100, 200, 400] }\n"
        )
        for (hint, width) in [("90", 160), ("150", 320), ("300", 320)] {
            let answer = try narrow.get("/photos/a.png?w=auto&format=png", [("Sec-CH-Width", hint)])
            #expect(answer.status == 200 && PictureHeader.size(ofPNG: answer.body)?[0] == width, "\(answer.text)")
        }
    }

    @Test func `a result with too many pixels is told a side that is accepted, or none`() throws {
        let rig = try rig("{ pixels: 30000 }")
        for (query, name) in [
            ("w=400", "w"), ("h=400", "h"), ("rotate=90&w=400", "w"), ("w=400&h=300&fit=cover", nil),
            ("w=320&h=5000&fit=fill&enlarge=1", nil), ("w=400&pad=100", nil), ("min-w=500", nil),
            ("crop=320x240", "w"), ("blur=2", "w"), ("pad=10", "w"),
        ] as [(String, String?)] {
            let refused = try rig.get("/photos/a.png?\(query)&format=png")
            #expect(refused.status == 422, "\(query): \(refused.text)")
            let told = refused.text.firstMatch(of: /a (?:width|height) of ([0-9]+) device pixels is allowed/)
            #expect((told != nil) == (name != nil), "\(query): \(refused.text)")
            guard let name, let side = told?.1 else { continue }
            let pairs = query.split(separator: "&").filter { !$0.hasPrefix(name + "=") } + ["\(name)=\(side)"]
            let answer = try rig.get("/photos/a.png?" + pairs.joined(separator: "&"))
            #expect(answer.status == 200, "\(pairs): \(answer.text)")
        }
        let listed = try self.rig("{ widths: [320, 640], pixels: 60000 }")
        let refused = try listed.get("/photos/a.png?w=320&h=5000&fit=fill&enlarge=1&format=png")
        #expect(refused.status == 422 && !refused.text.contains("is allowed"), "\(refused.text)")
    }

    @Test func `dpr has four values with presets: only, also where w has a list`() throws {
        let rig = try EndToEndRig(
            Self.signing + "presets: { soft: \"w=200&blur=2&format=png\" }\n",
            source: ", unsigned: { presets: only, widths: [320] }",
            script: ScriptedOrigin.pictures(pictures)
        )
        for ratio in ["1.7", "1.700001", "2"] {
            #expect(try rig.get("/photos/a.png?preset=soft&w=9&dpr=\(ratio)").status == 200)
        }
        #expect(try rig.metric("edgeprint_transforms_total") == 1)
    }

    @Test func `the scale in a file's name counts for unsigned.pixels`() throws {
        let rig = try EndToEndRig(
            Self.signing + "presets: { p: \"w=282&format=png\" }\n",
            source: ", unsigned: { pixels: 60000 }, scale-suffix: true",
            script: ScriptedOrigin.pictures(pictures)
        )
        #expect(try rig.get("/photos/a.png?preset=p").status == 200)
        #expect(try rig.get("/photos/a.png?preset=p&dpr=2").status == 422)
        #expect(try rig.get("/photos/a@2x.png?preset=p").status == 422)
    }

    @Test func `a preset's watermark of a signed source may be used beside one of the query`() throws {
        let folder = try TemporaryFolder()
        for (name, bytes) in pictures { try Data(bytes).write(to: URL(fileURLWithPath: folder.path + "/" + name)) }
        let rig = try EndToEndRig(
            Self.signing + "presets: { brand: \"watermark=photos/logo.png,center\" }\n",
            source: ", unsigned: none",
            sources: "\n  open: { url: \"file://\(folder.path)/\" }",
            script: ScriptedOrigin.pictures(pictures)
        )
        let query = "preset=brand&format=png&watermark="
        #expect(try rig.get("/open/a.png?\(query)open/logo.png,north").status == 200)
        #expect(try rig.get("/open/a.png?\(query)photos/a.png,north").status == 403)
    }

    @Test func `refusals name parameter, limit and the nearest value`() throws {
        let rig = try rig("{ widths: [160, 320], snap: refuse, formats: [png], effort: 3 }")
        for (query, name, text) in [
            ("w=200", "w", "the nearest to 200 is 160"), ("w=160&format=webp", "format", "auto, png"),
            ("w=160&effort=4", "effort", "at most 3"), ("h=100", "h", "160, 320"),
        ] {
            let answer = try rig.get("/photos/a.png?\(query)")
            #expect(answer.status == 403 && answer.text.contains("\"parameter\":\"\(name)\""), "\(answer.text)")
            #expect(answer.text.contains(text), "\(answer.text)")
            let told = try explain(rig, "/photos/a.png?\(query)")
            #expect(told.contains("responds with 403") && told.contains(text) && told.contains("steps"), "\(told)")
        }
        #expect(rig.origin.requests == 0)
        #expect(try rig.get("/photos/a.png?w=160&format=png&effort=3").status == 200)
        #expect(try rig.get(url(rig, "photos/a.png", "w=200", "format=webp", "effort=4")).status == 200)
    }

    @Test func `unsigned: none requires a signature, also for a watermark of the source`() throws {
        let rig = try EndToEndRig(
            Self.signing + "presets: { brand: \"watermark=photos/logo.png,center\" }",
            source: ", unsigned: none",
            sources: "\n  open: { url: \"http://127.0.0.1:1/\", allow-private: true }",
            script: ScriptedOrigin.pictures(pictures)
        )
        for target in [
            "/photos/a.png", "/photos/a.png?w=10", "/open/x.png?watermark=photos/logo.png,center",
            "/open/x.png?mask=photos/logo.png",
        ] {
            let answer = try rig.get(target)
            #expect(answer.status == 403 && answer.text.contains("unsigned: none"), "\(target): \(answer.text)")
        }
        #expect(rig.origin.requests == 0)
        // The operator's choice; this origin does not exist.
        #expect(try rig.get("/open/x.png?preset=brand").status == 502)
        #expect(try rig.get(url(rig, "photos/a.png", "w=10")).status == 200)
        #expect(try rig.get(url(rig, "photos/a.png")).status == 200)
        let told = try explain(rig, "/photos/a.png?w=10")
        #expect(told.contains("missing but required") && told.contains("sources.photos.unsigned"), "\(told)")
    }

    @Test func `the pixels of a result are limited, and a refusal does not affect signed requests`() throws {
        let rig = try rig("{ pixels: 60000 }", "presets: { big: \"w=600&format=png\" }")
        let refused = try rig.get("/photos/a.png?w=400&format=png")
        #expect(refused.status == 422 && refused.text.contains("\"parameter\":\"w\""), "\(refused.text)")
        #expect(refused.text.contains("120000 pixels") && refused.text.contains("a width of 282"), "\(refused.text)")
        #expect(try rig.get("/photos/a.png?format=png").text.contains("a width of 282"))
        #expect(try rig.get("/photos/a.png?w=282&format=png").status == 200)
        #expect(try rig.metric("edgeprint_transforms_total") == 1)
        let signed = try url(rig, "photos/a.png", "w=400", "format=png")
        #expect(PictureHeader.size(ofPNG: try rig.get(signed).body) == [400, 300])
        #expect(try rig.get("/photos/a.png?preset=big").status == 200)
        #expect(try rig.get("/photos/a.png").status == 200)
        // A result that both may have is made once.
        let count = try rig.metric("edgeprint_transforms_total")
        #expect(try rig.get(url(rig, "photos/a.png", "w=282", "format=png")).status == 200)
        #expect(try rig.metric("edgeprint_transforms_total") == count)
    }

    @Test func `fetch has limits of its own, rules keep them`() throws {
        let rig = try rig(
            "{ widths: [160] }",
            """
            presets: { small: "w=90&format=png" }
            remote: { allow: ["*"], allow-private: true, unsigned: { widths: [320] } }
            rules: [{ match: { source: [photos, fetch] }, set: { preset: small } }]
            """
        )
        func width(_ target: String) throws -> Int? { PictureHeader.size(ofPNG: try rig.get(target).body)?[0] }
        #expect(try width("/photos/a.png?w=10") == 160)
        #expect(try width("/photos/a.png") == 90)
        let fetched = "/fetch?url=\(rig.origin.url)/a.png"
        #expect(try width("\(fetched)&w=10") == 320)
        #expect(try width(fetched) == 90)
        #expect(try width(url(rig, "\(rig.origin.url)/a.png", "w=10")) == 10)
        #expect(try rig.get("\(fetched)&preset=none&h=10").status == 403)
    }

    @Test func `without keys the url command reports what the daemon refuses`() throws {
        let rig = try EndToEndRig(source: ", unsigned: { effort: 3 }", script: ScriptedOrigin.pictures(pictures))
        let made = try CommandRun(["url", "photos/a.png", "effort=4", "--config", rig.daemon.configurationFile])
        #expect(made.code == 1 && made.errors.contains("effort: is at most 3 without a signature"), "\(made.errors)")
        let scoped = try CommandRun(["url", "photos/a.png", "--scope", "w:*", "--config", rig.daemon.configurationFile])
        #expect(scoped.code == 1 && scoped.errors.contains("scope requires a signature"), "\(scoped.errors)")
    }
}
