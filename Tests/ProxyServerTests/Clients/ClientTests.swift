import Foundation
import TestSupport
import Testing

private let node = "/usr/bin/node"
private let python = "/usr/bin/python3"
private func isThere(_ program: String) -> Bool {
    FileManager.default.isExecutableFile(atPath: program) || TestEnvironment.value("EDGEPRINT_ENGINES") == "required"
}

/// A running daemon accepts what the clients sign; `make clients` runs their own tests.
@Suite(.timeLimit(.minutes(1)))
struct ClientTests {
    private static let key = String(repeating: "ab", count: 32)

    /// Runs a client's program, which prints targets, and requests them; the first two are accepted, and the last is not.
    private func check(_ program: String, _ arguments: [String]) throws {
        let rig = try EndToEndRig(
            "signing: { keys: [\"\(Self.key)\"], required: true }",
            script: ScriptedOrigin.pictures(["a%20b.png": TestImages.gradient(width: 64, height: 48)])
        )
        try rig.daemon.waitUntilReady()
        let run = try CommandRun(program: program, arguments + [Self.key])
        let targets = run.output.split(separator: "\n").map(String.init)
        try #require(run.code == 0 && targets.count == 3, "\(run.errors)")
        #expect(try rig.get(targets[0]).status == 200, "\(targets[0])")
        #expect(try rig.get(targets[1] + "&w=32&format=png").status == 200, "\(targets[1])")
        #expect(try rig.get(targets[1] + "&w=33&format=png").status == 403, "\(targets[1])")
        #expect(try rig.get(targets[2]).status == 403, "\(targets[2])")
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
