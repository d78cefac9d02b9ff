import Foundation
import LinuxSystem
import OriginTransfer
import TestSupport
import Testing

/// Sources whose originals are encrypted, through the real daemon; `openssl` encrypts.
@Suite(.timeLimit(.minutes(1)))
struct DecryptionRequestTests {
    private static let key = String(repeating: "5c", count: 32)
    private let picture = TestImages.gradient(width: 40, height: 30)

    private func rig(
        _ method: String,
        keys: String = "keys: { vault: \(key) }",
        source: String = "",
        _ answer: @escaping @Sendable () -> [UInt8]
    ) throws -> EndToEndRig {
        let name = method == "base64" ? "" : ", decrypt-key: vault"
        return try EndToEndRig(keys, source: ", decrypt: \(method)\(name)\(source)") { _, connection in
            connection.respond("200 OK", ["Cache-Control: max-age=600", "ETag: \"x\""], body: answer())
        }
    }

    private func sealed(_ bytes: [UInt8], key: String = key) throws -> [UInt8] {
        let key = try #require(CipherKey(hexadecimal: key))
        return try #require(key.seal(bytes))
    }

    private func check(_ rig: EndToEndRig) throws {
        let small = try rig.get("/photos/a.png?w=20&format=png")
        #expect(small.status == 200, "\(small.text)")
        #expect(PictureHeader.size(ofPNG: small.body) == [20, 15])
        let bare = try rig.get("/photos/a.png")
        #expect(bare.status == 200 && bare.body == picture && bare["ETag"] != nil)
        #expect(rig.origin.requests == 1)
    }

    @Test func `AES-256-GCM is decrypted before it is stored`() throws {
        let body = try sealed(picture)
        try check(rig("aes-256-gcm") { body })
    }

    @Test func `AES-256-CBC as openssl writes it is decrypted`() throws {
        let folder = try TemporaryFolder()
        try Data(picture).write(to: URL(filePath: folder.path + "/in"))
        let start = String(repeating: "0f", count: 16)
        let run = try CommandRun(
            program: "/usr/bin/openssl",
            [
                "enc", "-aes-256-cbc", "-K", Self.key, "-iv", start, "-in", folder.path + "/in", "-out",
                folder.path + "/out",
            ]
        )
        #expect(run.code == 0, "\(run.errors)")
        let body =
            [UInt8](repeating: 0x0F, count: 16) + [UInt8](try Data(contentsOf: URL(filePath: folder.path + "/out")))
        try check(rig("aes-256-cbc") { body })
    }

    @Test func `Base64 with line ends is decoded`() throws {
        let body = [UInt8](Data(picture).base64EncodedData(options: [.lineLength76Characters]))
        try check(rig("base64") { body })
    }

    @Test(arguments: ["aes-256-gcm", "base64"])
    func `an encoded body that is cut off is continued at the right byte`(_ method: String) throws {
        let body = method == "base64" ? [UInt8](Data(picture).base64EncodedData()) : try sealed(picture)
        let name = method == "base64" ? "" : ", decrypt-key: vault"
        let rig = try EndToEndRig(
            "keys: { vault: \(Self.key) }",
            source: ", decrypt: \(method)\(name), limits: { retries: 2 }"
        ) { request, connection in
            connection.serve(body, to: request, cutAfter: request.number == 1 ? body.count / 2 + 60 : nil)
        }
        let bare = try rig.get("/photos/a.png")
        #expect(bare.status == 200 && bare.body == picture && rig.origin.requests == 2, "\(bare.status) \(bare.text)")
    }

    @Test func `a body that is authenticated only at its end is not sent before`() throws {
        // Long enough to be announced while it arrives, and damaged in its last byte.
        var body = try sealed(TestImages.gradient(width: 40, height: 30) + [UInt8](repeating: 7, count: 3 << 20))
        body[body.count - 1] ^= 1
        let damaged = body
        let rig = try rig("aes-256-gcm") { damaged }
        let answer = try rig.get("/photos/a.png")
        #expect(
            answer.status == 502 && answer.text.contains("decrypt") && answer.body.count < 2_000,
            "\(answer.status)"
        )
    }

    @Test func `a wrong key is 502, remembered, and ends with another key`() throws {
        let body = try sealed(picture, key: String(repeating: "11", count: 32))
        let rig = try rig("aes-256-gcm") { body }
        let answer = try rig.get("/photos/a.png?w=20")
        #expect(answer.status == 502 && answer.text.contains("the key is wrong, or the content is damaged"))
        #expect(try rig.get("/photos/a.png?w=10").status == 502)
        #expect(try rig.cacheStatus("/photos/a.png") == "edgeprint; hit; detail=negative")
        #expect(rig.origin.requests == 1)
        #expect(!rig.daemon.logText.contains(Self.key) && !answer.text.contains(Self.key))
        try rig.rewrite(
            "keys: { vault: \(String(repeating: "11", count: 32)) }",
            source: ", decrypt: aes-256-gcm, decrypt-key: vault"
        )
        rig.daemon.signal(SIGHUP)
        try rig.daemon.waitForLog("configuration reloaded")
        #expect(try rig.get("/photos/a.png?w=20").status == 200)
    }

    @Test func `files of a folder are decrypted, too`() throws {
        let folder = try TemporaryFolder()
        try Data(try sealed(picture)).write(to: URL(filePath: folder.path + "/a.png"))
        let rig = try EndToEndRig(
            "keys: { vault: \(Self.key) }",
            sources: "\n  local: { url: \"file://\(folder.path)/\", decrypt: aes-256-gcm, decrypt-key: vault }"
        ) { _, connection in connection.respond("404 Not Found", text: "") }
        let bare = try rig.get("/local/a.png")
        #expect(bare.status == 200 && bare.body == picture, "\(bare.text)")
        #expect(try rig.get("/local/a.png?w=20&format=png").status == 200)
    }
}
