import EdgeprintURL
import Foundation
import TestSupport
import Testing

private let node = "/usr/bin/node"
private let python = "/usr/bin/python3"
private func isThere(_ program: String) -> Bool {
    FileManager.default.isExecutableFile(atPath: program) || TestEnvironment.value("EDGEPRINT_ENGINES") == "required"
}

/// HMAC-SHA256 by OpenSSL, as an app has it from its platform.
private struct OpenSSLKey: MessageAuthenticator {
    let key: String

    func authenticationCode(for message: [UInt8]) -> [UInt8] {
        let arguments = ["dgst", "-sha256", "-mac", "HMAC", "-macopt", "hexkey:\(key)", "-r"]
        let text = String(decoding: message, as: UTF8.self)
        let digits = (try? CommandRun(program: "/usr/bin/openssl", arguments, input: text).output).map(Array.init) ?? []
        guard digits.count > 64 else { return [] }
        return stride(from: 0, to: 64, by: 2).compactMap { UInt8(String(digits[$0...($0 + 1)]), radix: 16) }
    }
}

/// A running daemon accepts what the clients sign; `make clients` runs their own tests.
@Suite(.timeLimit(.minutes(1)))
struct ClientTests {
    private static let key = String(repeating: "ab", count: 32)

    /// Runs a client's program, which prints targets, and requests them.
    private func check(_ program: String, _ arguments: [String]) throws {
        let run = try CommandRun(program: program, arguments + [Self.key])
        try #require(run.code == 0, "\(run.errors)")
        try check(run.output.split(separator: "\n").map(String.init))
    }

    /// Requests three targets: the first two are accepted, the second also with what its scope permits, and the last is not.
    private func check(_ targets: [String]) throws {
        try #require(targets.count == 3)
        let rig = try EndToEndRig(
            "signing: { keys: [\"\(Self.key)\"], required: true }",
            script: ScriptedOrigin.pictures(["a%20b.png": TestImages.gradient(width: 64, height: 48)])
        )
        try rig.daemon.waitUntilReady()
        #expect(try rig.get(targets[0]).status == 200, "\(targets[0])")
        #expect(try rig.get(targets[1] + "&w=32&format=png").status == 200, "\(targets[1])")
        #expect(try rig.get(targets[1] + "&w=33&format=png").status == 403, "\(targets[1])")
        #expect(try rig.get(targets[2]).status == 403, "\(targets[2])")
    }

    @Test(.enabled(if: isThere("/usr/bin/openssl"), "OpenSSL is not installed"))
    func `the daemon accepts the signatures of EdgeprintURL`() throws {
        let images = try ImageServer("", authenticator: OpenSSLKey(key: Self.key))
        let other = try ImageServer("", authenticator: OpenSSLKey(key: String(repeating: "cd", count: 32)))
        let small = ImageTransform().resize(width: 40)
        let scope = URLScope().allow("w", [.range(16...32)]).allow("format", [.any])
        try check([
            images.url(for: .path("photos/a b.png"), small, expires: 4_000_000_000),
            images.scopedURL(for: .path("photos/a b.png"), scope: scope).description,
            other.url(for: .path("photos/a b.png"), small),
        ])
    }

    @Test(.enabled(if: isThere(node), "Node is not installed"))
    func `the daemon accepts the signatures of JavaScript`() throws {
        let script = """
            import { webcrypto } from "node:crypto";
            globalThis.crypto ??= webcrypto;
            const { SigningEdgeprint } = await import("\(Checkout.path("clients/js/edgeprint.js"))");
            const [key] = process.argv.slice(-1);
            const images = new SigningEdgeprint({ key });
            console.log(await images.url("photos/a b.png", { w: 40, format: "png" }, { exp: 4000000000 }));
            console.log(await images.url("photos/a b.png", {}, { scope: "w:16-32,format:*" }));
            console.log(await new SigningEdgeprint({ key: "cd".repeat(32) }).url("photos/a b.png", { w: 40 }));
            """
        try check(node, ["--input-type=module", "--eval", script])
    }

    @Test(.enabled(if: isThere(python), "Python is not installed"))
    func `the daemon accepts the signatures of Python`() throws {
        let script = """
            import sys
            sys.dont_write_bytecode = True
            sys.path.insert(0, "\(Checkout.path("clients/python"))")
            from edgeprint_url import Edgeprint
            images = Edgeprint(key=sys.argv[-1])
            print(images.url("photos/a b.png", {"w": 40, "format": "png"}, exp=4000000000))
            print(images.url("photos/a b.png", scope="w:16-32,format:*"))
            print(Edgeprint(key="cd" * 32).url("photos/a b.png", {"w": 40}))
            """
        try check(python, ["-c", script])
    }
}
