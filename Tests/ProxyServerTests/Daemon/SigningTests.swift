import Glibc
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct SigningTests {
    let picture = TestImages.gradient(width: 64, height: 48)
    static let old = String(repeating: "0d", count: 16)
    static let new = String(repeating: "ab", count: 32)

    private func rig(_ keys: [String], required: Bool = true) throws -> EndToEndRig {
        try EndToEndRig(
            "signing: { keys: [\(keys.joined(separator: ", "))], required: \(required) }",
            script: { [picture] _, connection in
                connection.respond("200 OK", ["Cache-Control: max-age=600"], body: picture)
            }
        )
    }

    /// The output of `edgeprint url` for the rig's configuration.
    private func url(_ rig: EndToEndRig, _ arguments: String...) throws -> String {
        let result = try CommandRun(["url"] + arguments + ["--config", rig.daemon.configurationFile])
        #expect(result.code == 0, "\(result.errors)")
        return String(result.output.dropLast())
    }

    @Test(arguments: ["a b.png", "ä&€?#.png", "x%2Fy.png", "a+b;c=d,(e)'f'.png", "q\"<>|^`{}.png"])
    func `the url command builds URLs that the daemon serves, for any name`(name: String) throws {
        let rig = try rig([Self.new])
        let target = try url(rig, "photos/\(name)", "w=32", "format=png", "filename=\(name.filter { $0 != "/" })")
        let answer = try rig.get(target)
        #expect(answer.status == 200, "\(target): \(answer.text)")
        #expect(PictureHeader.size(ofPNG: answer.body) == [32, 24])
        let path = target.prefix { $0 != "?" }
        #expect(rig.origin.heads.first?.hasPrefix("GET \(path.dropFirst("/photos".count)) HTTP/1.1\r\n") == true)
        #expect(try rig.get(target.replacing("w=32", with: "w=33")).status == 403)
        #expect(try rig.get(String(path) + "?w=32").status == 403)
    }

    @Test func `an old key verifies until a reload removes it`() throws {
        let rig = try rig([Self.old])
        let target = try url(rig, "photos/a.png", "w=8", "format=png")
        #expect(try rig.get(target).status == 200)
        try rig.rewrite("signing: { keys: [\(Self.new), \(Self.old)], required: true }")
        rig.daemon.signal(SIGHUP)
        try rig.daemon.waitForLog("configuration reloaded")
        let renewed = try url(rig, "photos/a.png", "w=8", "format=png")
        #expect(renewed != target)
        #expect(try rig.get(target).status == 200)
        #expect(try rig.cacheStatus(renewed) == "edgeprint; hit; detail=memory")
        try rig.rewrite("signing: { keys: [\(Self.new)], required: true }")
        rig.daemon.signal(SIGHUP)
        try rig.daemon.waitForLog("configuration reloaded", times: 2)
        #expect(try rig.get(target).status == 403)
        #expect(try rig.get(renewed).status == 200)
        #expect(!rig.daemon.logText.contains(Self.new) && !rig.daemon.logText.contains(Self.old))
    }

    @Test func `a response's lifetime ends with exp`() throws {
        let rig = try rig([Self.new])
        let now = Int64(time(nil))
        let soon = try url(rig, "photos/a.png", "w=8", "--expires", "100s")
        for _ in 0..<2 {
            let answer = try rig.get(soon)
            #expect(answer.status == 200)
            let words = try #require(answer["Cache-Control"])
            let age = try #require(Int(words.drop { !$0.isNumber }))
            #expect(words.hasPrefix("max-age=") && (90...100).contains(age), "\(words)")
        }
        let late = try url(rig, "photos/a.png", "w=8", "--expires", "\(now + 100_000)")
        #expect(try rig.get(late)["Cache-Control"] == "max-age=600")
        let endless = try CommandRun([
            "url", "a/b", "--expires", "106751991167300d", "--config", rig.daemon.configurationFile,
        ])
        #expect(endless.code == 64 && endless.errors.contains("is too long"), "\(endless.errors)")
        let over = try url(rig, "photos/a.png", "w=8", "--expires", "\(now - 1)")
        let refused = try rig.get(over)
        #expect(refused.status == 403)
        #expect(refused["Cache-Control"] == "no-store")
        #expect(refused.text.contains("\"parameter\":\"exp\""))
    }

    @Test(arguments: ["", ", raw: true"])
    func `a response older than the time left until exp is fresh on arrival`(source: String) throws {
        let fields = ["Cache-Control: max-age=86400", "Age: 1800"]
        let rig = try EndToEndRig(
            "signing: { keys: [\(Self.new)], required: true }",
            source: source,
            script: ScriptedOrigin.pictures(["a.png": picture], fields: fields)
        )
        let target = try url(rig, "photos/a.png", "--expires", "1200s")
        for _ in 0..<2 {
            let answer = try rig.get(target)
            let words = try #require(answer["Cache-Control"])
            let lifetime = try #require(Int(words.drop { !$0.isNumber }))
            let age = try #require(answer["Age"].flatMap { Int($0) })
            #expect(age >= 1800 && (1100...1200).contains(lifetime - age), "\(words), age \(age)")
        }
    }

    @Test func `a srcset has a signed candidate for each width`() throws {
        let rig = try rig([Self.new])
        let line = try url(
            rig,
            "photos/a.png",
            "crop=32x24",
            "w=",
            "format=png",
            "--widths",
            "4,8",
            "--base",
            "https://i.example/"
        )
        let candidates = line.split(separator: ", ").map { $0.split(separator: " ").map(String.init) }
        #expect(candidates.map(\.last) == ["4w", "8w"])
        for (candidate, width) in zip(candidates, [4, 8]) {
            let address = try #require(candidate.first)
            #expect(address.hasPrefix("https://i.example/photos/a.png?crop=32x24&w=\(width)&"))
            let answer = try rig.get(String(address.dropFirst("https://i.example".count)))
            #expect(PictureHeader.size(ofPNG: answer.body)?[0] == width)
        }
    }

    @Test func `a signature made with openssl is valid`() throws {
        let recipe = """
            printf '%s' '/photos/a%20b.png?w=8&format=png' | openssl dgst -sha256 -mac HMAC -macopt hexkey:\(Self.new) -binary \
            | basenc --base64url | tr -d =
            """
        let rig = try rig([Self.new])
        let made = try CommandRun(program: "/bin/sh", ["-c", recipe])
        let signature = made.output.trimmingPrefix(" ").prefix { $0 != "\n" }
        #expect(signature.count == 43, "\(made.errors)")
        #expect(try rig.get("/photos/a%20b.png?w=8&format=png&sig=\(signature)").status == 200)
    }

    @Test func `an invalid URL is refused with the parameter's name`() throws {
        let rig = try rig([Self.new])
        for (arguments, text, code) in [
            (["photos/a.png", "width=3"], "width: ", 1), (["nowhere/a.png"], "no such source", 1),
            (["photos/a.png", "w"], "key=value", 64),
            (["photos/a.png", "--expires", "soon"], "--expires", 64),
            (["photos/a.png", "--widths", "3,x"], "--widths", 64),
        ] as [([String], String, CInt)] {
            let result = try CommandRun(["url"] + arguments + ["--config", rig.daemon.configurationFile])
            #expect(result.code == code && result.errors.contains(text), "\(arguments): \(result.errors)")
            #expect(result.output.isEmpty)
        }
    }
}
