import TestSupport
import Testing

/// Purges by prefix, tag, preset and age, and soft ones, against the real daemon.
@Suite(.timeLimit(.minutes(1)))
struct PurgeFormsTests {
    private static let presets = "presets: { thumb: \"w=8&h=8\", wide: \"w=16\" }"
    private let rig: EndToEndRig

    /// An origin that tags each image with its folder, in the fields of three CDNs, and answers revalidations with 304.
    init() throws {
        let picture = TestImages.gradient(width: 64, height: 48)
        rig = try EndToEndRig(Self.presets) { request, connection in
            let folder = String(request.target.dropFirst().prefix { $0 != "/" })
            let fields = [
                "Cache-Control: max-age=600", "ETag: \"1\"", "Cache-Tag: \(folder),all",
                "Surrogate-Key: \(folder)-key more", "xkey: \(folder)-x",
            ]
            let isKnown = request.field("If-None-Match") != nil
            connection.respond(isKnown ? "304 Not Modified" : "200 OK", fields, body: isKnown ? [] : picture)
        }
    }

    private func post(_ body: String, to other: EndToEndRig? = nil) throws -> RawHTTPResponse {
        let client = try RawHTTPClient(port: (other ?? rig).daemon.admin)
        try client.send("POST /purge HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        return try client.readResponse()
    }

    private func number(_ name: String, _ response: RawHTTPResponse) throws -> Int {
        let rest = response.text[try #require(response.text.firstRange(of: "\"\(name)\":")).upperBound...]
        return try #require(Int(rest.prefix { $0.isNumber }))
    }

    /// Originals, variants, and entries in memory.
    private func counts(_ response: RawHTTPResponse) throws -> [Int] {
        try ["originals", "variants", "memory"].map { try number($0, response) }
    }

    /// Requests images of two folders, and waits until they are on disk.
    private func fill() throws {
        for target in ["cats/a.png?w=4", "cats/b.png?preset=thumb", "dogs/a.png?w=4"] {
            let answer = try rig.get("/photos/\(target)&format=png")
            #expect(answer.status == 200)
            for field in ["Cache-Tag", "Surrogate-Key", "xkey"] { #expect(answer[field] == nil) }
        }
        try rig.waitUntil("edgeprint_cache_entries{tier=\"variants\"}", is: 3)
        try rig.waitUntil("edgeprint_cache_entries{tier=\"originals\"}", is: 3)
    }

    private func cacheStatus(_ target: String) throws -> String? {
        try rig.cacheStatus("/photos/\(target)&format=png")
    }

    /// The numbers of originals and variants in the cache folder.
    private func files() -> [Int] {
        ["originals", "variants"].map { folder in
            var count = 0
            var open = [rig.folder.path + "/cache/" + folder]
            while let path = open.popLast() {
                for name in TemporaryFolder.names(in: path) {
                    if name.utf8.count > 2 { count += 1 } else { open.append(path + "/" + name) }
                }
            }
            return count
        }
    }

    @Test(arguments: [
        #"{"prefix":"/photos/cats/""#, #"{"prefix":"/photos/ca""#, #"{"prefix":"ORIGIN/cats/""#, #"{"tag":"cats""#,
        #"{"tag":"cats-key""#, #"{"tag":"cats-x""#,
    ])
    func `a purge by prefix or tag removes the bytes from disk`(selection: String) throws {
        try fill()
        let selection =
            selection.contains("ORIGIN") ? "{\"prefix\":\"\(rig.origin.url)/cats/\"" : selection
        let dry = try post(selection + ",\"dry\":true}")
        #expect(try counts(dry) == [2, 2, 2])
        #expect(files() == [3, 3])
        let answer = try post(selection + "}")
        #expect(answer.status == 200)
        #expect(try counts(answer) == [2, 2, 2])
        #expect(try number("bytes", answer) == number("bytes", dry))
        #expect(files() == [1, 1])
        #expect(try cacheStatus("dogs/a.png?w=4") == "edgeprint; hit; detail=memory")
        #expect(try cacheStatus("cats/a.png?w=4") == "edgeprint; fwd=uri-miss")
        #expect(try cacheStatus("cats/b.png?preset=thumb") == "edgeprint; fwd=uri-miss")
    }

    @Test func `after a purge by preset, images are made again from the kept originals`() throws {
        try fill()
        #expect(try counts(post(#"{"preset":"thumb"}"#)) == [0, 1, 1])
        #expect(files() == [3, 2])
        let requests = rig.origin.requests
        #expect(try cacheStatus("cats/b.png?preset=thumb") == "edgeprint; hit; detail=original")
        #expect(try cacheStatus("cats/a.png?w=4") == "edgeprint; hit; detail=memory")
        #expect(rig.origin.requests == requests)
    }

    @Test func `purges by age and of everything can be soft`() throws {
        try fill()
        #expect(try counts(post(#"{"older_than":"1h"}"#)) == [0, 0, 0])
        let soft = try post(#"{"all":true,"soft":true}"#)
        #expect(try counts(soft) == [3, 3, 3])
        #expect(soft.text.contains("\"soft\":true"))
        let requests = rig.origin.requests
        #expect(try cacheStatus("cats/a.png?w=4") == "edgeprint; fwd=stale; fwd-status=304")
        #expect(try cacheStatus("cats/a.png?w=4") == "edgeprint; hit; detail=memory")
        #expect(rig.origin.requests == requests + 1)
        try rig.restartAfterKill(Self.presets)
        #expect(try cacheStatus("dogs/a.png?w=4") == "edgeprint; fwd=stale; fwd-status=304")
        #expect(Array(try counts(post(#"{"all":true}"#)).prefix(2)) == [3, 3])
        #expect(files() == [0, 0])
    }

    @Test func `raw responses are purged by the same forms`() throws {
        let raw = try EndToEndRig(source: ", raw: true") { request, connection in
            let tag = request.target.dropFirst().prefix { $0 != "/" }
            let isKnown = request.field("If-None-Match") != nil
            connection.respond(
                isKnown ? "304 Not Modified" : "200 OK",
                ["Cache-Control: max-age=600", "ETag: \"1\"", "xkey: \(tag)"],
                body: isKnown ? [] : [1, 2, 3]
            )
        }
        func status(_ target: String) throws -> String? { try raw.cacheStatus("/photos/\(target)") }
        func purge(_ body: String) throws -> Int { try number("memory", post(body, to: raw)) }
        for target in ["cats/1", "cats/2", "dogs/1"] { _ = try raw.get("/photos/\(target)") }
        #expect(try status("cats/1") == "edgeprint; hit; detail=memory")
        #expect(try purge(#"{"tag":"cats","dry":true}"#) == 2)
        #expect(try purge(#"{"tag":"cats","soft":true}"#) == 2)
        #expect(try status("cats/1")?.hasPrefix("edgeprint; fwd=stale; fwd-status=304") == true)
        #expect(try status("dogs/1") == "edgeprint; hit; detail=memory")
        #expect(try purge(#"{"tag":"cats"}"#) == 2)
        #expect(try status("cats/2")?.hasPrefix("edgeprint; fwd=uri-miss") == true)
        #expect(try purge(#"{"prefix":"/photos/dogs/"}"#) == 1)
        #expect(try status("dogs/1")?.hasPrefix("edgeprint; fwd=uri-miss") == true)
        #expect(try purge(#"{"older_than":"1h"}"#) == 0)
        // The first was not requested again.
        #expect(try purge(#"{"all":true}"#) == 2)
    }

    @Test func `the command supports all forms`() throws {
        try fill()
        let admin = ["--config", rig.daemon.configurationFile, "--admin", "127.0.0.1:\(rig.daemon.admin)"]
        for (arguments, expected) in [
            (["--prefix", "/photos/cats/", "--dry"], "/photos/cats/…: would remove 2 originals and 2 variants ("),
            (["--tag", "dogs", "--soft"], "tag dogs: marked as stale 1 originals and 1 variants ("),
            (["--preset", "thumb"], "preset thumb: removed 0 originals and 1 variants ("),
            (["--older-than", "12h"], "older than 12h: removed 0 originals and 0 variants ("),
            (["--tag", "cats", "--tag", "dogs"], "tag cats: removed 2 originals and 1 variants ("),
        ] {
            let run = try CommandRun(["purge"] + arguments + admin)
            #expect(run.code == 0 && run.output.hasPrefix(expected), "\(run)")
        }
        for arguments in [
            ["--older-than", "soon"], ["--preset", "thumb", "--soft"], ["--tag", "a", "--prefix", "/b"],
            ["/a", "--tag", "b"],
        ] {
            #expect(try CommandRun(["purge"] + arguments + admin).code == 64)
        }
    }
}
