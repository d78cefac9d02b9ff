import Foundation
import Glibc
import TestSupport
import Testing

/// What other processes of the daemon's user can learn from it.
@Suite(.timeLimit(.minutes(1)))
struct HardeningTests {
    private static let key = String(repeating: "5ec2e7", count: 11)
    private static let secrets = [
        "EDGEPRINT_SIGNING_KEYS": key, "EDGEPRINT_ADMIN_TOKEN": "token-in-the-environment",
        "AWS_SECRET_ACCESS_KEY": "secret-of-the-bucket", "ORIGIN_TOKEN": "token-of-the-origin",
    ]
    private static let isRoot = unsafe getuid() == 0 && access("/usr/bin/setpriv", X_OK) == 0

    private static func yaml(_ folder: String, bearer: String) -> String {
        """
        sources:
          photos: { url: "http://127.0.0.1:1/", auth: { bearer: "\(bearer)" } }
        cache: { path: "\(folder)/cache" }

        """
    }

    /// The children of a process.
    private func children(of process: pid_t) -> [String] {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")) ?? []
        return tasks.flatMap { task in
            (DaemonProcess.contents(of: "/proc/\(process)/task/\(task)/children") ?? "").split(separator: " ").map(
                String.init
            )
        }
    }

    @Test func `the environments of the daemon and its workers contain no value of the configuration`() throws {
        let folder = try TemporaryFolder()
        let daemon = try DaemonProcess(
            Self.yaml(folder.path, bearer: "${ORIGIN_TOKEN}"),
            in: folder,
            environment: Self.secrets.merging(["TZ": "UTC"]) { $1 }
        )
        try daemon.waitUntilReady()
        let workers = children(of: daemon.identifier)
        #expect(!workers.isEmpty)
        for process in ["\(daemon.identifier)"] + workers {
            let block = try #require(DaemonProcess.contents(of: "/proc/\(process)/environ"))
            for (name, value) in Self.secrets { #expect(!block.contains(name) && !block.contains(value), "\(process)") }
        }
        let block = try #require(DaemonProcess.contents(of: "/proc/\(daemon.identifier)/environ"))
        // Libraries still find their own variables.
        #expect(block.contains("PATH=/usr/bin:/bin\0") && block.contains("TZ=UTC\0"))
    }

    @Test func `variables still apply, also after a reload`() throws {
        let folder = try TemporaryFolder()
        let daemon = try DaemonProcess(
            Self.yaml(folder.path, bearer: "in-the-file"),
            in: folder,
            environment: Self.secrets
        )
        func stats(_ token: String) throws -> Int {
            try RawHTTPClient(port: daemon.admin).get("/stats", [("Authorization", "Bearer \(token)")]).status
        }
        #expect(try stats("token-in-the-environment") == 200)
        try daemon.rewrite(Self.yaml(folder.path, bearer: "${ORIGIN_TOKEN}"))
        daemon.signal(SIGHUP)
        try daemon.waitForLog("configuration reloaded")
        #expect(daemon.logText.contains("sources") && !daemon.logText.contains("configuration rejected"))
        #expect(try stats("token-in-the-environment") == 200)
        #expect(try stats("another") == 401)
    }

    /// A program that runs the daemon as the user nobody.
    private func unprivileged(_ folder: TemporaryFolder) throws -> String {
        let path = folder.path + "/run"
        let script = """
            #!/bin/sh
            chmod 0777 '\(folder.path)'
            chmod 0644 "$3"
            exec setpriv --reuid=65534 --regid=65534 --clear-groups '\(DaemonProcess.buildFolder)/edgeprint' "$@"

            """
        try script.write(toFile: path, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        return path
    }

    /// Runs a shell command as the user nobody; returns its exit code.
    private func run(_ command: String) throws -> Int32 {
        let identity = ["--reuid=65534", "--regid=65534", "--clear-groups"]
        return try CommandRun(program: "/usr/bin/setpriv", identity + ["sh", "-c", command]).code
    }

    @Test(.enabled(if: isRoot), arguments: ["require", "best", "off"])
    func `a process of the same user cannot inspect the daemon, which still works`(policy: String) throws {
        let folder = try TemporaryFolder()
        let picture = TestImages.gradient(width: 400, height: 300)
        let origin = try ScriptedOrigin(ScriptedOrigin.pictures(["a.png": picture]))
        let yaml = """
            sources:
              photos: { url: "\(origin.url)/", allow-private: true }
            cache: { path: "\(folder.path)/cache" }
            workers: { count: 1, sandbox: \(policy), rss: 64MiB }

            """
        let daemon = try DaemonProcess(yaml, in: folder, binary: unprivileged(folder))
        try daemon.waitUntilReady()
        let isProtected = policy != "off"
        // If memory runs out, the kernel ends the worker.
        let scores = children(of: daemon.identifier).map { DaemonProcess.contents(of: "/proc/\($0)/oom_score_adj") }
        #expect(scores == ["500\n"])
        let process = "/proc/\(daemon.identifier)"
        #expect(try (run("ls \(process)/fd >/dev/null 2>&1") == 0) != isProtected)
        #expect(try (run("cat \(process)/environ >/dev/null 2>&1") == 0) != isProtected)
        #expect(try (run("readlink \(process)/exe >/dev/null 2>&1") == 0) != isProtected)
        // Opening it is enough to write to the daemon's memory. With Yama, no process can open that of one that it has not started.
        if isProtected { #expect(try run("exec 3<>\(process)/mem 2>/dev/null") != 0) }
        // The daemon opens files of /proc/self, measures its workers, and gives them descriptors.
        #expect(
            try RawHTTPClient(port: daemon.port, timeoutMilliseconds: 20_000).get("/photos/a.png?w=20").status == 200
        )
        #expect(try RawHTTPClient(port: daemon.port, timeoutMilliseconds: 20_000).get("/photos/a.png").body == picture)
        // The only worker may have been replaced after its job, since workers.rss is low.
        let isMeasured = try (0..<1_000).contains { _ in
            let metrics = try RawHTTPClient(port: daemon.admin).get("/metrics").text
            let resident = metrics.split(separator: "\n").first { $0.hasPrefix("edgeprint_worker_resident_bytes ") }
            return resident.flatMap { Int($0.split(separator: " ")[1]) }.map { $0 > 1 << 20 } == true
        }
        #expect(isMeasured)
    }
}
