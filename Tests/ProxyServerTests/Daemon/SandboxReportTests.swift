import CLinux
import Glibc
import ImagePlan
import TestSupport
import Testing

@testable import ProxyServer

/// The confinement in force has one structure everywhere.
@Suite(.timeLimit(.minutes(1)))
struct SandboxReportTests {
    /// All layers but namespaces, and one call.
    private static let posture: WorkerPosture = {
        var posture = RecordedProbe.posture
        posture.outcomes.removeAll { $0.layer == .userNamespace }
        posture.outcomes.append(.init(.userNamespace, error: Int(EPERM)))
        posture.calls = [.init(name: "getpriority", isAllowed: true)]
        return posture
    }()

    @Test func `states each layer with the kernel's reason, and each further call`() {
        let report = SandboxReport(.best, Self.posture, isDaemonDumpable: false)
        #expect(report.json["layers"]?["seccomp"] == .string("in force"))
        #expect(report.json["layers"]?["user-namespace"] == .string("Operation not permitted"))
        #expect(report.json["layers"]?[SandboxReport.daemonLayer] == .string("in force"))
        #expect(report.json["calls"]?["getpriority"] == .string("allowed"))
        #expect(report.json["landlock"] == .number(7) && report.json["mode"] == .string("best"))
        #expect(report.missing == "user-namespace (Operation not permitted)")
        #expect(report.inForce.hasPrefix("no-new-privileges, seccomp, landlock 7, landlock-tcp"))
        #expect(!report.isWeak)
    }

    @Test func `nothing is assumed before a worker has greeted`() {
        let report = SandboxReport(.require, nil, isDaemonDumpable: true)
        #expect(report.isWeak && report.json["known"] == .bool(false) && report.inForce == "nothing")
        #expect(report.states.allSatisfy { !$0.isInForce })
    }

    @Test func `what workers have in common is reported`() {
        var other = RecordedProbe.posture
        other.landlockVersion = 3
        other.outcomes = other.outcomes.map {
            $0.layer == .landlockTCP ? .init(.landlockTCP, error: Int(EOPNOTSUPP)) : $0
        }
        let common = Self.posture.weakest(with: other)
        #expect(common.landlockVersion == 3)
        #expect(common.missing == [.landlockTCP, .userNamespace])
        #expect(common.calls == Self.posture.calls)
    }

    @Test(.enabled(if: edge_landlock_version() >= 1), arguments: ["best", "require"])
    func `readyz, stats, metrics and the log tell what is in force`(mode: String) throws {
        let folder = try TemporaryFolder()
        let daemon = try DaemonProcess(
            "workers: { count: 1, sandbox: \(mode) }\ncache: { path: \"\(folder.path)/cache\" }\n",
            in: folder
        )
        let ready = try daemon.waitUntilReady()
        #expect(ready.contains("\"sandbox\":{\"mode\":\"\(mode)\",\"known\":true,\"landlock\":"), "\(ready)")
        #expect(ready.contains("\"seccomp\":\"in force\"") && ready.contains("\"landlock\":\"in force\""), "\(ready)")
        let admin = try RawHTTPClient(port: daemon.admin)
        let stats = try admin.get("/stats").text
        #expect(stats.contains("\"sandbox\":{\"mode\":\"\(mode)\"") && stats.contains("\"filterKills\":0"), "\(stats)")
        let metrics = try admin.get("/metrics").text
        for layer in ["no-new-privileges", "seccomp", "landlock"] {
            #expect(metrics.contains("edgeprint_worker_sandbox{layer=\"\(layer)\"} 1\n"), "\(layer)")
        }
        #expect(metrics.contains("edgeprint_worker_unlisted_calls 0\n"))
        #expect(metrics.contains("edgeprint_worker_landlock_version \(edge_landlock_version())\n"))
        try daemon.waitForLog("workers are confined")
        #expect(daemon.logText.contains("seccomp, landlock \(edge_landlock_version())"))
    }

    @Test func `off is reported as off, and warned about`() throws {
        let folder = try TemporaryFolder()
        let daemon = try DaemonProcess(
            "workers: { count: 1, sandbox: off }\ncache: { path: \"\(folder.path)/cache\" }\n",
            in: folder
        )
        #expect(try daemon.waitUntilReady().contains("\"seccomp\":\"not in force\""))
        try daemon.waitForLog("workers are not confined")
    }
}
