import Foundation
import TestSupport
import Testing

/// s3:// sources with a real store, SeaweedFS, which verifies signatures itself.
///
/// `make test` installs it and requires it; without it, `swift test` alone skips these.
@Suite(.timeLimit(.minutes(1)), .enabled(if: SeaweedFS.isWanted))
struct SeaweedFSTests {
    private let store: SeaweedFS
    private let picture = TestImages.gradient(width: 32, height: 24)

    init() throws { store = try SeaweedFS.shared() }

    private func daemon(
        prefix: String = "",
        secret: String = SeaweedFS.secretKey,
        more: String = ""
    ) throws -> (daemon: DaemonProcess, folder: TemporaryFolder) {
        let folder = try TemporaryFolder()
        let yaml = """
            sources:
              bucket:
                url: "s3://\(SeaweedFS.bucket)/\(prefix)"
                endpoint: "\(store.endpoint)"
                allow-private: true
                auth: { access-key: \(SeaweedFS.accessKey), secret-key: "\(secret)" }
                \(more)
            cache: { path: "\(folder.path)/cache" }

            """
        return (try DaemonProcess(yaml, in: folder), folder)
    }

    private func get(
        _ daemon: DaemonProcess,
        _ target: String,
        _ fields: [(String, String)] = []
    ) throws -> RawHTTPResponse {
        try RawHTTPClient(port: daemon.port, timeoutMilliseconds: 20_000).get(target, fields)
    }

    @Test func `objects are served, transformed, and cut to ranges`() throws {
        let (daemon, folder) = try daemon()
        try store.put("plain.png", picture)
        let bare = try get(daemon, "/bucket/plain.png")
        #expect(bare.status == 200 && bare.body == picture, "\(bare.text)")
        let small = try get(daemon, "/bucket/plain.png?w=8&format=png")
        #expect(PictureHeader.size(ofPNG: small.body) == [8, 6])
        let part = try get(daemon, "/bucket/plain.png", [("Range", "bytes=1-3")])
        #expect(part.status == 206 && part.body == Array("PNG".utf8))
        withExtendedLifetime(folder) {}
    }

    @Test func `keys with spaces, plus, slashes, percent signs and other scripts are found`() throws {
        let keys = [
            "a%20b.png", "a%2Bb.png", "%C3%A9/%E2%82%AC.png", "x%3D1/y%26z%2C.png", "100%25.png", "q%3Fm%23.png",
            "~(1)%2A%21%27@%3A%24%3B.png", "%2541.png", "a%252Fb.png",
        ]
        let (daemon, folder) = try daemon(prefix: "p q+/")
        for key in keys { try store.put("p%20q%2B/" + key, picture) }
        for key in keys {
            let answer = try get(daemon, "/bucket/\(key)")
            #expect(answer.status == 200 && answer.body == picture, "\(key): \(answer.status) \(answer.text)")
        }
        // An encoded slash is a slash of the key.
        try store.put("p%20q%2B/deep/er.png", picture)
        #expect(try get(daemon, "/bucket/deep%2Fer.png").body == picture)
        withExtendedLifetime(folder) {}
    }

    @Test func `a missing key is 404, and so are wrong credentials, which reveal nothing`() throws {
        let (daemon, folder) = try daemon()
        let missing = try get(daemon, "/bucket/missing.png")
        #expect(missing.status == 404 && !missing.text.contains("127.0.0.1"))
        try store.put("secret.png", picture)
        let (stranger, other) = try self.daemon(secret: "canary-secret")
        let answer = try get(stranger, "/bucket/secret.png")
        #expect(answer.status == 404 && answer.text.contains("403"), "\(answer.text)")
        #expect(!answer.text.contains("canary") && !stranger.logText.contains("canary"))
        withExtendedLifetime((folder, other)) {}
    }

    @Test func `an unchanged object is revalidated, a changed one replaces its variants`() throws {
        let (daemon, folder) = try daemon(more: "ttl: 0")
        try store.put("live.png", picture)
        let target = "/bucket/live.png?w=8&format=png"
        let first = try get(daemon, target)
        #expect(first.status == 200, "\(first.text)")
        let again = try get(daemon, target)
        #expect(again["Cache-Status"] == "edgeprint; fwd=stale; fwd-status=304" && again.body == first.body)
        let entityTag = try #require(again["ETag"])
        #expect(try get(daemon, target, [("If-None-Match", entityTag)]).status == 304)
        try store.put("live.png", TestImages.gradient(width: 16, height: 16))
        let changed = try get(daemon, target, [("If-None-Match", entityTag)])
        #expect(changed.status == 200 && PictureHeader.size(ofPNG: changed.body) == [8, 8])
        withExtendedLifetime(folder) {}
    }
}
