import Foundation
import HTTPSemantics
import TestSupport
import Testing

@testable import ProxyServer

/// `has`, `get` and `put` against the real daemon, on its admin listener and by the commands.
@Suite(.timeLimit(.minutes(1)))
struct StoredVerbsTests {
    private let old = TestImages.gradient(width: 64, height: 48)
    private let new = TestImages.gradient(width: 40, height: 30)

    private func rig(_ extra: String = "", source: String = "", sources: String = "") throws -> EndToEndRig {
        try EndToEndRig(extra, source: source, sources: sources) { [old] _, connection in
            connection.respond("200 OK", ["Cache-Control: max-age=600"], body: old)
        }
    }

    private func put(
        _ rig: EndToEndRig,
        _ path: String,
        _ bytes: [UInt8],
        _ fields: [String] = []
    ) throws -> RawHTTPResponse {
        let client = try RawHTTPClient(port: rig.daemon.admin, timeoutMilliseconds: 20_000)
        let lines = (fields + ["Content-Length: \(bytes.count)"]).map { $0 + "\r\n" }.joined()
        let head =
            "PUT /original?path=\(PercentEncoding.encode(path.utf8, except: PercentEncoding.isUnreserved)) HTTP/1.1\r\nHost: localhost\r\n\(lines)\r\n"
        try client.send(Array(head.utf8) + bytes)
        return try client.readResponse()
    }

    private func has(_ rig: EndToEndRig, _ path: String) throws -> JSONValue {
        let response = try rig.admin(
            "GET",
            "/has?path=" + PercentEncoding.encode(path.utf8, except: PercentEncoding.isUnreserved)
        )
        #expect(response.status == 200)
        return try #require(JSONValue(parsing: response.text))
    }

    private func command(_ rig: EndToEndRig, _ arguments: [String]) throws -> CommandRun {
        try CommandRun(
            arguments + ["--config", rig.daemon.configurationFile, "--admin", "127.0.0.1:\(rig.daemon.admin)"]
        )
    }

    @Test func `has asks nothing and makes nothing, and tells the tiers, freshness, age and size`() throws {
        let rig = try rig()
        let path = "/photos/a.png?w=8&format=png"
        let before = try has(rig, path)
        #expect(before["cached"] == .bool(false) && before["original.disk"] == .null, "\(before.text)")
        #expect(rig.origin.requests == 0)
        let answer = try rig.get(path)
        try rig.waitUntil("edgeprint_cache_entries{tier=\"variants\"}", is: 1)
        let after = try has(rig, path)
        #expect(after["cached"] == .bool(true))
        guard case .array(let variants)? = after["variants"], let variant = variants.first else {
            Issue.record("\(after.text)")
            return
        }
        for copy in [variant["memory"], variant["disk"]] {
            #expect(copy?["fresh"] == .bool(true) && copy?["bytes"] == .number(answer.body.count), "\(after.text)")
        }
        #expect(after["original.disk"]?["bytes"] == .number(old.count))
        // Another size is not stored, although its original is.
        let other = try has(rig, "/photos/a.png?w=9&format=png")
        #expect(other["cached"] == .bool(false) && other["original.disk"]?["fresh"] == .bool(true), "\(other.text)")
        #expect(try rig.post("/purge", #"{"all":true,"soft":true}"#).status == 200)
        #expect(try has(rig, path).text.contains("\"fresh\":false"))
        #expect(rig.origin.requests == 1)
        let yes = try command(rig, ["has", path])
        #expect(yes.code == 0 && yes.output.contains("memory (stale, "), "\(yes)")
        let no = try command(rig, ["has", path, "/photos/b.png"])
        #expect(no.code == 1 && no.output.hasSuffix("/photos/b.png: not stored\n"), "\(no)")
        #expect(rig.origin.requests == 1)
    }

    @Test func `a path that is missing is told from one without a slash`() throws {
        let rig = try rig()
        for name in ["has", "entry"] {
            let (missing, bare) = (try rig.admin("GET", "/\(name)"), try rig.admin("GET", "/\(name)?path=zz"))
            #expect(missing.status == 400 && missing.text.contains("path= is missing"), "\(missing.text)")
            #expect(bare.status == 400 && bare.text.contains("path= must begin with a slash"), "\(bare.text)")
        }
    }

    @Test func `get answers the stored bytes with their fields, else 404`() throws {
        let rig = try rig()
        let path = "/photos/a.png?w=8&format=png"
        let target = "/entry?path=" + PercentEncoding.encode(path.utf8, except: PercentEncoding.isUnreserved)
        #expect(try rig.admin("GET", target).status == 404)
        #expect(rig.origin.requests == 0)
        let answer = try rig.get(path)
        try rig.waitUntil("edgeprint_cache_entries{tier=\"variants\"}", is: 1)
        for tier in ["memory", "disk"] {
            let entry = try rig.admin("GET", target)
            #expect(entry.status == 200 && entry.body == answer.body)
            #expect(entry["Content-Type"] == "image/png" && entry["ETag"] == answer["ETag"])
            #expect(entry["Cache-Status"] == "edgeprint; hit; detail=\(tier)")
            try rig.restartAfterKill()
        }
        let original = try rig.admin("GET", "/entry?path=/photos/a.png")
        #expect(original.body == old && original["Content-Type"] == "image/png")
        let file = rig.folder.path + "/copy.png"
        #expect(try command(rig, ["get", path, "--output", file]).code == 0)
        #expect(try [UInt8](Data(contentsOf: URL(fileURLWithPath: file))) == answer.body)
        let missing = try command(rig, ["get", "/photos/b.png"])
        #expect(missing.code == 1 && missing.errors.contains("Nothing is stored"), "\(missing)")
    }

    @Test func `put stores an original that is served without asking the origin`() throws {
        let rig = try rig()
        let created = try put(rig, "/photos/a.png", new, ["Cache-Control: max-age=60", "ETag: \"build-1\""])
        #expect(created.status == 201, "\(created.text)")
        // It is on disk already.
        try rig.restartAfterKill()
        let bare = try rig.get("/photos/a.png")
        #expect(bare.body == new && bare["Cache-Control"] == "max-age=60")
        #expect(try rig.get("/photos/a.png?w=8&format=png").status == 200)
        #expect(rig.origin.requests == 0)
    }

    @Test func `put replaces an original and makes its variants void`() throws {
        let rig = try rig()
        let path = "/photos/a.png?w=20&format=png"
        #expect(PictureHeader.size(ofPNG: try rig.get(path).body) == [20, 15])
        let tall = TestImages.gradient(width: 20, height: 40)
        #expect(try put(rig, "/photos/a.png", tall).status == 204)
        let answer = try rig.get(path)
        #expect(PictureHeader.size(ofPNG: answer.body) == [20, 40])
        #expect(answer["Cache-Status"] == "edgeprint; hit; detail=original")
        #expect(try rig.get("/photos/a.png").body == tall)
        #expect(rig.origin.requests == 1)
        // The same bytes again: what was made of them stays valid.
        #expect(try put(rig, "/photos/a.png", tall).status == 204)
        #expect(try rig.cacheStatus(path)?.contains("hit; detail=") == true)
    }

    @Test func `put examines the bytes as a download would be, and changes nothing if they are refused`() throws {
        let rig = try rig("limits: { source-bytes: 100KiB }", sources: "\n  local: { url: \"file:///srv/\" }")
        #expect(try rig.get("/photos/a.png").body == old)
        let text = try put(rig, "/photos/a.png", Array("<html>no image</html>".utf8))
        #expect(text.status == 415, "\(text.text)")
        let large = try put(rig, "/photos/a.png", [UInt8](repeating: 0, count: 200 << 10))
        #expect(large.status == 413, "\(large.text)")
        let private_ = try put(rig, "/photos/a.png", new, ["Cache-Control: private"])
        #expect(private_.status == 400 && private_.text.contains("Cache-Control"), "\(private_.text)")
        #expect(try put(rig, "/photos/a.png?w=8", new).text.contains("names a variant"))
        #expect(try put(rig, "/local/a.png", new).text.contains("serves a folder"))
        let unknown = try put(rig, "/photoz/a.png", new)
        #expect(unknown.status == 404 && unknown.text.contains("photos"), "\(unknown.text)")
        #expect(try put(rig, "/photos/a.png", []).status >= 400)
        #expect(try rig.get("/photos/a.png").body == old)
        #expect(try rig.get("/photos/new.png").status == 200)
        #expect(rig.origin.requests == 2)
    }

    @Test func `put needs the token before it takes any content`() throws {
        let rig = try EndToEndRig { _, connection in connection.respond(text: "x") }
        try rig.daemon.rewrite(
            rig.yaml(),
            listeners: "listen: 127.0.0.1:0\nadmin: { listen: \"127.0.0.1:0\", token: secret-token-of-tests }\n"
        )
        rig.daemon.signal(1)
        try rig.daemon.waitForLog("configuration reloaded")
        let client = try RawHTTPClient(port: rig.daemon.admin)
        try client.send(
            "PUT /original?path=/photos/a.png HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50000000\r\n\r\n"
        )
        #expect(try client.readResponse().status == 401)
    }

    @Test func `the put command sends a file or standard input`() throws {
        let rig = try rig()
        let file = rig.folder.path + "/new.png"
        try Data(new).write(to: URL(fileURLWithPath: file))
        let created = try command(rig, ["put", "/photos/a.png", file, "--cache-control", "max-age=5"])
        #expect(created.code == 0 && created.output == "/photos/a.png: stored\n", "\(created)")
        #expect(try rig.get("/photos/a.png").body == new)
        #expect(try command(rig, ["put", "/photos/a.png", file]).output == "/photos/a.png: replaced\n")
        let missing = try command(rig, ["put", "/photos/a.png", file + "x"])
        #expect(missing.code == 1 && missing.errors.contains("No such file"), "\(missing)")
        let empty = try command(rig, ["put", "/photos/a.png", "-"])
        #expect(empty.code == 1, "\(empty)")
        #expect(rig.origin.requests == 0)
    }

    @Test(arguments: ["--cache-control", "--etag"])
    func `the put command refuses values that would send another request`(option: String) throws {
        let rig = try rig()
        let file = rig.folder.path + "/new.png"
        try Data(new).write(to: URL(fileURLWithPath: file))
        #expect(try command(rig, ["put", "/photos/kept.png", file]).code == 0)
        let value =
            "max-age=1\r\nContent-Length: 0\r\n\r\nPOST /purge HTTP/1.1\r\nHost: localhost\r\nContent-Length: 12\r\n\r\n{\"all\":true}"
        let run = try command(rig, ["put", "/photos/a.png", file, option, value])
        #expect(run.code == 64 && run.errors.contains("\(option) contains a line end"), "\(run)")
        #expect(try has(rig, "/photos/a.png")["original.disk"] == .null)
        #expect(try has(rig, "/photos/kept.png")["original.disk"] != .null)
    }
}
