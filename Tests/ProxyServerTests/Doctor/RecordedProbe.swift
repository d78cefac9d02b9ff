import Glibc
import HTTPCache
import HTTPKit
import ImagePipeline
import ImagePlan
import LinuxSystem

@testable import ProxyServer

/// A simulated machine without problems; tests change single values.
struct RecordedProbe: SystemProbe {
    var limits: [ProcessResource: ResourceLimit] = [
        .files: ResourceLimit(soft: 65_536, hard: 524_288), .core: ResourceLimit(soft: 0, hard: 0),
    ]
    var texts: [String: String] = [
        "/proc/meminfo": "MemTotal:       16384000 kB\nMemFree:         9000000 kB\n",
        "/proc/self/cgroup": "0::/system.slice/edgeprint.service\n",
        "/proc/pressure/memory": "some avg10=0.00 avg60=0.00 avg300=0.00 total=0\nfull avg10=0.00 total=0\n",
        "/proc/sys/kernel/seccomp/actions_avail": "kill_process kill_thread trap errno user_notif trace log allow\n",
        "/proc/net/unix": "Num       RefCount Protocol Flags    Type St Inode Path\n",
    ]
    var statuses: [String: FileStatus] = [
        "/": FileStatus(kind: .folder, mode: 0o755),
        "/usr/bin/edgeprint-worker": FileStatus(kind: .file, mode: 0o755),
    ]
    var denials: [String: CInt] = [:]
    var fileSystems: [String: FileSystemStatus] = [
        "/": FileSystemStatus(
            type: 0xEF53,
            freeBytes: 100 << 30,
            freeFiles: 10_000_000,
            isReadOnly: false
        )
    ]
    var realPaths: [String: String] = [:]
    var folders: [String: DiskFolderState] = [:]
    var bindErrors: [ListenAddress: CInt] = [:]
    var kernelRelease = "6.1.0-18-amd64"
    var ioUringError = EFAULT
    var sealsMemoryFiles = true
    var wallSeconds: Int64 = 1_800_000_000
    var isClockSynchronised: Bool? = true
    var user: UInt32 = 997
    var libraries = LinkedLibraries(
        curl: "7.88.1",
        tls: "OpenSSL/3.0.15",
        hasHTTP2: true,
        resolvesInThreads: true,
        sqlite: "3.40.1",
        crypto: "3.0.15"
    )
    var workerPath: String? = "/usr/bin/edgeprint-worker"
    var workerAnswer: Result<WorkerCapabilities?, WorkerInquiry.Failure> = .success(
        WorkerCapabilities(
            protocolVersion: Int(WorkerMessage.version),
            libvips: "8.14.1",
            codecs: [.init(format: "jpeg", decodes: true, encodes: true), .init(format: "heic", decodes: true)],
            libraries: [.init(name: "libwebp", version: "1.2.4")],
            posture: posture
        )
    )

    /// A worker with all layers.
    static let posture: WorkerPosture = {
        var posture = WorkerPosture()
        posture.outcomes = WorkerPosture.Layer.allCases.map { .init($0) }
        posture.landlockVersion = 7
        return posture
    }()

    func limit(_ resource: ProcessResource) -> ResourceLimit { limits[resource] ?? ResourceLimit() }
    func text(_ path: String) -> String? { texts[path] }
    func status(_ path: String) -> FileStatus? { statuses[path] }
    func accessError(_ path: String, _ access: FileAccess) -> Errno? {
        denials[path].map { Errno($0, "access") }
    }
    func fileSystem(_ path: String) -> FileSystemStatus? { fileSystems[path] }
    func realPath(_ path: String) -> String? { realPaths[path] }
    func cacheFolder(_ path: String) -> DiskFolderState { folders[path] ?? .absent }
    func bindError(_ address: ListenAddress) -> Errno? { bindErrors[address].map { Errno($0, "bind") } }
    func worker(memory: Int, sandbox: SandboxMode) throws(WorkerInquiry.Failure) -> WorkerCapabilities? {
        try workerAnswer.get()
    }
}

extension DoctorCheck {
    /// The findings as "severity subject", on the sound machine or a changed one.
    func told(_ change: (inout RecordedProbe) -> Void = { _ in }) -> [String] {
        var probe = RecordedProbe()
        change(&probe)
        return findings(probe).map { "\($0.severity) \($0.subject)" }
    }

    /// The finding that is not ok, as text with its fix; empty if there is none.
    func complaint(_ change: (inout RecordedProbe) -> Void) -> String {
        var probe = RecordedProbe()
        change(&probe)
        return findings(probe).filter { $0.severity != .ok }
            .map { "\($0.severity): \($0.message) | \($0.fix ?? "")" }.joined(separator: "\n")
    }
}
