import Foundation
import TestSupport
import Testing

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct DoctorCommandTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func configuration(_ extra: String = "", cache: String? = nil) throws -> ConfigurationText {
        try ConfigurationText(
            """
            listen: 127.0.0.1:0
            admin: { listen: "unix:\(folder.path)/admin.sock" }
            cache: { path: "\(cache ?? folder.path + "/cache")", originals: 1MiB, variants: 1MiB }
            limits: { connections: 10 }
            \(extra)

            """
        )
    }

    @Test func `works on this machine, tries the codecs and leaves nothing behind`() throws {
        try FileManager.default.createDirectory(atPath: folder.path + "/images", withIntermediateDirectories: true)
        let file = try configuration("sources: { local: { url: \"file://\(folder.path)/images\" } }")
        let run = try CommandRun(["doctor", "--config", file.path])
        #expect(run.code == 0, "\(run.output)\(run.errors)")
        for subject in ["codec jpeg: decodes, encodes", "codec webp: ", "libvips: 8", "libcurl: ", "kernel: "] {
            #expect(run.output.contains("ok       \(subject)"), "\(subject) in \(run.output)")
        }
        #expect(run.output.contains("\(folder.path)/cache does not exist yet and can be created"))
        #expect(TemporaryFolder.names(in: folder.path) == ["images"])
    }

    @Test func `suggests fixes for a broken setup`() throws {
        let blocked = folder.path + "/plain"
        try Data("x".utf8).write(to: URL(fileURLWithPath: blocked))
        let file = try configuration("sources: { gone: { url: \"file://\(folder.path)/gone\" } }", cache: blocked)
        // A copy of the daemon has no worker next to it.
        let lonely = folder.path + "/edgeprint"
        try FileManager.default.copyItem(atPath: DaemonProcess.buildFolder + "/edgeprint", toPath: lonely)
        let script = "ulimit -n 64; exec '\(lonely)' doctor --config '\(file.path)'"
        let run = try CommandRun(program: "/bin/sh", ["-c", script])
        #expect(run.code == 1)
        for line in [
            "failure  open files: 64 descriptors", "failure  cache folder: \(blocked) is not a folder",
            "failure  source gone: the folder \(folder.path)/gone does not exist",
            "failure  worker: \(lonely)-worker does not exist",
        ] {
            #expect(run.output.contains(line), "\(line) in \(run.output)\(run.errors)")
        }
        let lines = run.output.split(separator: "\n")
        for (line, next) in zip(lines, lines.dropFirst()) where line.hasPrefix("failure") {
            #expect(next.hasPrefix("         fix: "), "\(line)")
        }
        #expect(run.output.hasSuffix("\n") && run.output.contains("4 failures"))
    }

    @Test func `reports an invalid configuration, and checks the machine nevertheless`() throws {
        let file = try ConfigurationText("cahce: { memory: 1GiB }")
        let run = try CommandRun(["doctor", "--json", "--config", file.path])
        #expect(run.code == 1)
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
        )
        #expect(object["failed"] as? Bool == true)
        let findings = try #require(object["findings"] as? [[String: Any]])
        #expect((findings.first?["message"] as? String)?.contains("did you mean cache?") == true)
        #expect(findings.first?["severity"] as? String == "failure")
        #expect(findings.contains { $0["subject"] as? String == "libvips" && $0["fix"] is NSNull })
    }

    @Test func `recognises the running daemon by its addresses and folder, and does not disturb it`() throws {
        let rig = try EndToEndRig { _, connection in connection.respond("404 Not Found", text: "no") }
        let admin = rig.daemon.admin
        let file = try ConfigurationText(
            """
            listen: 127.0.0.1:\(rig.daemon.port)
            admin: { listen: "127.0.0.1:\(admin)" }
            cache: { path: "\(rig.folder.path)/cache", originals: 1MiB, variants: 1MiB }
            """
        )
        let accepted = try rig.metric("edgeprint_connections")
        let run = try CommandRun(["doctor", "--config", file.path])
        #expect(run.code == 0, "\(run.output)")
        #expect(run.output.contains("listen 127.0.0.1:\(rig.daemon.port): in use, and so is the cache folder"))
        #expect(run.output.contains("in use by a daemon"))
        #expect(try rig.metric("edgeprint_connections") == accepted)
        let stranger = try ConfigurationText("listen: 127.0.0.1:\(admin)\ncache: { path: \"\(folder.path)/cache\" }")
        let other = try CommandRun(["doctor", "--config", stranger.path])
        #expect(other.code == 1)
        #expect(other.output.contains("in use by another process"))
    }
}
