import TestSupport
import Testing

/// Parameters in paths, as a daemon serves them.
@Suite(.timeLimit(.minutes(1)))
struct PathStyleRequestTests {
    private let picture = TestImages.gradient(width: 64, height: 48)
    private static let key = String(repeating: "ab", count: 32)

    private func rig(_ extra: String = "", source: String = "") throws -> EndToEndRig {
        try EndToEndRig(extra, source: ", path-style: true" + source) { [picture] _, connection in
            connection.respond("200 OK", ["Cache-Control: max-age=600"], body: picture)
        }
    }

    private func edgeprint(_ rig: EndToEndRig, _ arguments: String...) throws -> CommandRun {
        try CommandRun(arguments + ["--config", rig.daemon.configurationFile])
    }

    @Test func `both styles are one variant, with one key`() throws {
        let rig = try rig()
        let (path, query) = (
            "/photos/w=32,gravity=0.3,0.7,h=20,fit=cover,format=png/a/b.png",
            "/photos/a/b.png?w=32&gravity=0.3,0.7&h=20&fit=cover&format=png"
        )
        let answer = try rig.get(path)
        #expect(answer.status == 200 && PictureHeader.size(ofPNG: answer.body) == [32, 20], "\(answer.text)")
        #expect(try rig.cacheStatus(query) == "edgeprint; hit; detail=memory")
        #expect(rig.origin.heads.first?.hasPrefix("GET /a/b.png HTTP/1.1\r\n") == true)
        let keys = try [path, query].map { try edgeprint(rig, "key", $0).output }
        #expect(keys[0] == keys[1] && keys[0].count > 20)
        let explained = try edgeprint(rig, "explain", path)
        #expect(explained.code == 0 && explained.output.contains("path style"), "\(explained.output)")
        #expect(explained.output.contains(query), "\(explained.output)")
        #expect(try edgeprint(rig, "explain", query).output.contains("translation") == false)
        // A = of a real name is encoded, and one further behind is none of ours.
        #expect(try rig.get("/photos/k%3Dv/a.png?w=8&format=png").status == 200)
        #expect(try rig.get("/photos/w=9,format=png/k=v/a.png").status == 200)
        let lines = rig.origin.heads.suffix(2).map { $0.split(separator: "\r\n").first }
        #expect(lines == ["GET /k%3Dv/a.png HTTP/1.1", "GET /k=v/a.png HTTP/1.1"])
    }

    @Test func `a purge of one style is a purge of the other`() throws {
        let rig = try rig()
        let path = "/photos/w=16,format=png/a.png"
        #expect(try rig.get(path).status == 200)
        #expect(try rig.admin("GET", "/has?path=\(path)").status == 200)
        #expect(try rig.admin("GET", "/has?path=/photos/a.png%3Fw%3D16%26format%3Dpng").status == 200)
        #expect(try rig.post("/purge", "{\"url\":\"\(path)\"}").status == 200)
        #expect(try rig.cacheStatus("/photos/a.png?w=16&format=png")?.hasPrefix("edgeprint; fwd=uri-miss") == true)
    }

    @Test func `a signature is that of the query, wherever it stands`() throws {
        let rig = try rig("signing: { keys: [\(Self.key)], required: true }")
        func url(_ arguments: String...) throws -> String {
            let run = try CommandRun(["url"] + arguments + ["--config", rig.daemon.configurationFile])
            #expect(run.code == 0, "\(run.errors)")
            return String(run.output.dropLast())
        }
        let path = try url(
            "photos/a b.png",
            "w=32",
            "gravity=0.3,0.7",
            "h=20",
            "fit=cover",
            "format=png",
            "--path-style"
        )
        let query = try url("photos/a b.png", "w=32", "gravity=0.3,0.7", "h=20", "fit=cover", "format=png")
        let signature = try #require(query.split(separator: "sig=").last)
        #expect(path == "/photos/w=32,gravity=0.3,0.7,h=20,fit=cover,format=png,sig=\(signature)/a%20b.png")
        #expect(try rig.get(path).status == 200)
        #expect(
            try rig.get("/photos/w=32,gravity=0.3,0.7,h=20,fit=cover,format=png/a%20b.png?sig=\(signature)").status
                == 200
        )
        #expect(try rig.get(path.replacing("w=32", with: "w=33")).status == 403)
        #expect(try rig.get("/photos/w=8,format=png/a.png").status == 403)
        let scoped = try url(
            "photos/a.png",
            "w=32",
            "format=png",
            "--scope",
            "w:8-64,format:*",
            "--expires",
            "1h",
            "--path-style"
        )
        #expect(!scoped.contains("?") && scoped.contains(",exp="), "\(scoped)")
        #expect(try rig.get(scoped).status == 200)
        #expect(try rig.get(scoped.replacing("w=32", with: "w=16")).status == 200)
        #expect(try rig.get(scoped.replacing("w=32", with: "w=65")).status == 403)
        #expect(!rig.daemon.logText.contains(signature))
    }

    @Test func `limits of unsigned requests apply`() throws {
        let rig = try rig("presets: { small: \"w=8&format=png\" }", source: ", unsigned: { presets: only }")
        #expect(try rig.get("/photos/preset=small/a.png").status == 200)
        #expect(try rig.get("/photos/w=8/a.png").status == 403)
    }

    @Test func `errors name the path or the parameter`() throws {
        let rig = try rig()
        for (path, text) in [
            ("/photos/w=400", "path: ends after its parameters"),
            ("/photos/w=4&h=2/a.png", "a & of a value is written as %26"),
            ("/photos/W=4/a.png", "is not name=value"), ("/photos/w=0/a.png", "w: must be"),
            ("/photos/w=4,w=5/a.png", "w: "),
        ] {
            let answer = try rig.get(path)
            #expect(answer.status == 400 && answer.text.contains(text), "\(path): \(answer.text)")
        }
    }

    @Test func `without the setting, and for URLs, there is no path style`() throws {
        let rig = try EndToEndRig { [picture] _, connection in
            connection.respond("200 OK", ["Cache-Control: max-age=600"], body: picture)
        }
        #expect(try rig.get("/photos/w=8/a.png").status == 200)
        #expect(rig.origin.heads.first?.hasPrefix("GET /w=8/a.png HTTP/1.1\r\n") == true)
        let run = try CommandRun([
            "url", "photos/a.png", "w=8", "--path-style", "--config", rig.daemon.configurationFile,
        ])
        #expect(run.code == 1 && run.errors.contains("path-style"), "\(run.errors)")
    }
}
