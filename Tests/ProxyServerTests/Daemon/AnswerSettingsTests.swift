import Glibc
import TestSupport
import Testing

@testable import ProxyServer

/// The settings below `answers`, and `timing=1`.
@Suite(.timeLimit(.minutes(1)))
struct AnswerSettingsTests {
    private static let key = String(repeating: "ab", count: 16)
    private let script = ScriptedOrigin.pictures(["a.png": TestImages.gradient(width: 64, height: 48)])

    /// Names and milliseconds of a `Server-Timing` field, or `nil`.
    private func stages(_ answer: RawHTTPResponse) throws -> [(name: String, duration: Double)]? {
        guard let field = answer["Server-Timing"] else { return nil }
        return try field.split(separator: ", ").map { metric in
            let parts = metric.split(separator: ";dur=")
            try #require(parts.count == 2, "\(field)")
            return (String(parts[0]), try #require(Double(parts[1]), "\(field)"))
        }
    }

    @Test func `Server-Timing lists the stages that ran, if it is enabled`() throws {
        let rig = try EndToEndRig("answers: { server-timing: on }", script: script)
        let made = try #require(try stages(try rig.get("/photos/a.png?w=20&format=png")))
        let phases = ["fetch-dns", "fetch-connect", "fetch-tls", "fetch-first-byte"]
        let order = ["fetch"] + phases + ["queue", "decode", "transform", "encode", "store"]
        #expect(made.map(\.name) == order.filter { made.map(\.name).contains($0) }, "in their order, each once")
        for name in ["fetch", "fetch-connect", "fetch-first-byte", "encode", "store"] {
            #expect(made.contains { $0.name == name }, "\(made)")
        }
        for stage in made { #expect(stage.duration > 0 && stage.duration < 60_000, "\(stage)") }
        // No stage runs for a hit.
        let hit = try rig.get("/photos/a.png?w=20&format=png")
        #expect(hit["Cache-Status"] == "edgeprint; hit; detail=memory" && hit["Server-Timing"] == nil)
        // Nothing is fetched for another width, and nothing decoded for the unchanged original.
        let other = try #require(try stages(try rig.get("/photos/a.png?w=21&format=png")))
        #expect(!other.contains { $0.name == "fetch" } && other.contains { $0.name == "encode" })
    }

    @Test func `there is no Server-Timing by default`() throws {
        let rig = try EndToEndRig(script: script)
        #expect(try rig.get("/photos/a.png?w=20&format=png")["Server-Timing"] == nil)
    }

    @Test func `timing=1 in a signed URL enables Server-Timing, and is not part of the key`() throws {
        let rig = try EndToEndRig("signing: { keys: [\(Self.key)] }", script: script)
        let signed = try CommandRun(
            ["url", "photos/a.png", "w=20", "format=png", "timing=1", "--config", rig.daemon.configurationFile]
        )
        let target = String(signed.output.dropLast())
        #expect(target.contains("timing=1&sig="))
        #expect(try stages(try rig.get(target))?.contains { $0.name == "encode" } == true)
        #expect(try rig.cacheStatus("/photos/a.png?w=20&format=png") == "edgeprint; hit; detail=memory")
        // The parameter does not change the image: alone it requests the original.
        let bare = try CommandRun(["url", "photos/a.png", "timing=1", "--config", rig.daemon.configurationFile])
        #expect(try rig.get(String(bare.output.dropLast()))["Vary"] == nil)
    }

    @Test(arguments: [("w=20&timing=1", 403), ("timing=1", 403), ("timing=2", 400), ("w=20&timing=1&timing=1", 400)])
    func `timing=1 without a signature and invalid values are refused`(_ query: String, _ status: Int) throws {
        let rig = try EndToEndRig("signing: { keys: [\(Self.key)] }", script: script)
        let answer = try rig.get("/photos/a.png?\(query)")
        #expect(answer.status == status)
        #expect(answer.text.contains("\"parameter\":\"timing\""), "\(answer.text)")
        #expect(rig.origin.requests == 0)
    }

    @Test func `the url command builds no URL that needs a signature without a key`() throws {
        let run = try CommandRun(["url", "https://a.example/a.png", "timing=1"])
        #expect(run.code == 1)
        #expect(run.errors.contains("signing.keys"), "\(run.errors)")
    }

    /// All kinds of responses: transformed, from memory, the unchanged original, failures, refusals, and a preflight.
    private func kinds(_ rig: EndToEndRig) throws -> [RawHTTPResponse] {
        let client = try RawHTTPClient(port: rig.daemon.port)
        let targets = [
            "/photos/a.png?w=20&format=png", "/photos/a.png?w=20&format=png", "/photos/a.png", "/photos/none.png?w=2",
            "/photos/a.png?w=0", "/nobody/a.png", "/",
        ]
        var answers = try targets.map { try client.get($0) }
        for method in ["DELETE", "OPTIONS"] {
            try client.send("\(method) /photos/a.png HTTP/1.1\r\nHost: a\r\n\r\n")
            answers.append(try client.readResponse())
        }
        return answers
    }

    @Test(arguments: ["*", "https://www.example.com"])
    func `answers.cors decides whose scripts may read responses and their timing`(
        _ pages: String
    ) throws {
        let rig = try EndToEndRig("answers: { cors: \"\(pages)\" }", script: script)
        for answer in try kinds(rig) {
            #expect(answer.values(of: "Access-Control-Allow-Origin") == [pages], "\(answer.head)")
            #expect(answer.values(of: "Timing-Allow-Origin") == [pages])
            let exposed = try #require(answer["Access-Control-Expose-Headers"]).split(separator: ", ")
            let names: [Substring] = [
                "Cache-Status", "Server-Timing", "ETag", "RateLimit", "RateLimit-Policy", "Retry-After",
            ]
            #expect(Set(exposed).isSuperset(of: names))
        }
    }

    @Test func `cors: off removes the fields from all responses after a reload`() throws {
        let rig = try EndToEndRig(script: script)
        _ = try kinds(rig)
        try rig.rewrite("answers: { cors: off }")
        rig.daemon.signal(SIGHUP)
        try rig.daemon.waitForLog("configuration reloaded")
        let answers = try kinds(rig)
        #expect(answers[0]["Cache-Status"] == "edgeprint; hit; detail=memory")
        for answer in answers {
            #expect(!answer.fields.contains { $0.name.hasPrefix("Access-Control") }, "\(answer.head)")
            #expect(answer["Timing-Allow-Origin"] == nil)
            #expect(answer["X-Content-Type-Options"] == "nosniff")
        }
    }

    @Test func `parses origins as browsers serialise them`() throws {
        for (text, value) in [
            ("*", CrossOrigin.any), ("off", .off), ("https://www.example.com", .origin("https://www.example.com")),
            ("HTTPS://WWW.Example.com:443", .origin("https://www.example.com")),
            ("http://localhost:3000", .origin("http://localhost:3000")),
            ("https://[::1]:1", .origin("https://[::1]:1")),
        ] {
            #expect(try load("answers: { cors: \"\(text)\" }").answers.cors == value, "\(text)")
        }
        for text in [
            "https://a.example/", "https://a.example/x", "a.example", "https://u@a.example", "ftp://a", "**", "",
        ] {
            #expect(CrossOrigin(text) == nil, "\(text)")
        }
    }
}
