import Foundation
import TestSupport
import Testing

/// The replacement of the process under systemd, with the sandbox of the deployed unit.
@Suite(.timeLimit(.minutes(2)), .enabled(if: BootedUnits.obstacle.isEmpty, "\(BootedUnits.obstacle)"))
struct SuccessionUnitTests {
    private let origin: ScriptedOrigin
    private var yaml: String {
        "sources: { web: { url: \"http://localhost:\(origin.port)/\", allow-private: true } }\n"
    }

    init() throws {
        let picture = TestImages.gradient(width: 64, height: 48)
        origin = try ScriptedOrigin(ScriptedOrigin.pictures(["a.png": picture]))
    }

    /// The port of the public TCP listener, from the log.
    private func port(_ units: BootedUnits) throws -> UInt16 {
        let line = try units.journal().split(separator: "\n").last { line in
            line.contains("listening") && line.contains("\"public\"") && line.contains("127.0.0.1:")
        }
        let start = try #require(line?.firstRange(of: "127.0.0.1:")?.upperBound)
        return try #require(UInt16(line?[start...].prefix { $0.isNumber } ?? ""))
    }

    @Test func `SIGUSR2 replaces the main process, and no client notices`() throws {
        let units = try BootedUnits(yaml)
        let load = try SteadyLoad(
            port: try port(units),
            clients: 2,
            targets: (1...20).map { "/web/a.png?w=\($0)&format=png" }
        )
        load.waitForAnswers(20)
        for round in 1...2 {
            let main = try units.property("MainPID")
            #expect(try units.run("systemctl", "kill", "-s", "USR2", "--kill-whom=main", "edgeprint.service").code == 0)
            try waitWhile(units.property("MainPID") == main)
            try waitWhile(units.run("kill", "-0", main).code == 0)
            load.waitForAnswers(20 + round * 40)
        }
        let tally = try load.end()
        #expect(tally.failed.isEmpty && tally.refused == 0, "\(tally)")
        #expect(try units.get("/web/a.png?w=30&format=webp").status == 200)
        #expect(try units.property("ActiveState") == "active" && units.property("NRestarts") == "0")
        // The successor is the service: it is reloaded, and restarted if it dies.
        #expect(try units.run("systemctl", "reload", "edgeprint.service").code == 0)
        let main = try units.property("MainPID")
        try units.run("kill", "-KILL", main)
        try waitWhile(units.property("NRestarts") == "0")
        #expect(try units.get("/").status == 200)
    }

    @Test func `a restart with another address on a kept port does not fail`() throws {
        let units = try BootedUnits(yaml)
        let port = try port(units)
        // The file has port 0, so the socket of this one is only kept under a name that is no longer configured.
        let listeners = "listen: 0.0.0.0:\(port)\nadmin: { listen: \"127.0.0.1:0\" }\n"
        let file = units.root + "/etc/edgeprint/edgeprint.yaml"
        try (listeners + yaml).write(toFile: file, atomically: false, encoding: .utf8)
        let restart = try units.run("systemctl", "restart", "edgeprint.service")
        let journal = try units.journal()
        #expect(restart.code == 0, "\(journal)")
        #expect(try units.property("NRestarts") == "0")
        #expect(try RawHTTPClient(port: port).get("/").status == 200)
    }

    @Test func `systemctl restart keeps the daemon's own TCP socket open`() throws {
        let units = try BootedUnits(yaml)
        let port = try port(units)
        let main = try units.property("MainPID")
        try units.run("systemctl", "restart", "--no-block", "edgeprint.service")
        for _ in 0..<200 {
            let client = try RawHTTPClient(port: port, timeoutMilliseconds: 20_000)
            #expect(try client.get("/").status == 200)
        }
        try waitWhile(units.property("ActiveState") != "active" || units.property("MainPID") == main)
        #expect(try RawHTTPClient(port: port).get("/").status == 200)
        try units.run("systemctl", "stop", "edgeprint.service")
        #expect(throws: RawHTTPClient.Failure.self) { try RawHTTPClient(port: port) }
    }

    @Test func `the admin socket can be reached after restarts, which delete its path`() throws {
        let path = "/run/edgeprint/admin.sock"
        let units = try BootedUnits(yaml, listeners: "listen: 127.0.0.1:0\nadmin: { listen: \"unix:\(path)\" }\n")
        for round in 0..<3 {
            let answer = try units.run("curl", "-fsS", "--unix-socket", path, "http://localhost/healthz")
            #expect(answer.code == 0, "round \(round): \(answer.errors)")
            #expect(try units.run("systemctl", "restart", "edgeprint.service").code == 0)
        }
        // Workers return from niceness 15 to 5, where the machine lets systemd set the limit.
        guard try units.run("prlimit", "--nice=15:15", "true").code == 0 else { return }
        let main = try units.property("MainPID")
        let limits = try units.run("grep", "Max nice priority", "/proc/\(main)/limits").output
        #expect(limits.split(separator: " ").dropFirst(3).first == "15", "\(limits)")
    }
}
