import CLinux
import Glibc
import ImagePlan
import LinuxSystem
import TestSupport
import Testing

@testable import ImagePipeline

/// Code that has taken over a locked worker tries to leave it; the test process stands for the daemon, whose user it has.
///
/// Each attempt is first made by a process that is not locked. If the kernel refuses it even there, it proves nothing: such attempts
/// are printed and counted, and at most a few may be.
@Suite(.timeLimit(.minutes(1)), .serialized)
struct EscapeTests {
    /// How an attempt ended.
    private enum Outcome: Equatable {
        case succeeded
        case refused(errno: CInt)
        case killed
        case lost
    }

    private struct Attempt {
        let name: String
        let argument: String

        init(_ name: String, _ argument: String = "-") { (self.name, self.argument) = (name, argument) }
    }

    /// The executable next to the tests.
    static func hostileWorker() throws -> String {
        let path = try WorkerPool.siblingPath()
        return path.replacing("edgeprint-worker", with: "HostileWorker")
    }

    /// Runs one attempt in a process of its own.
    private func run(_ attempt: Attempt, _ mode: SandboxMode, inThread: Bool = false) throws -> (Outcome, WorkerPosture)
    {
        let wake = try WakeEvent()
        var configuration = WorkerPool.Configuration(workers: 1)
        configuration.addressSpace = 1 << 30
        let worker = try WorkerProcess(
            path: Self.hostileWorker(),
            arguments: ["--sandbox=\(mode.rawValue)"] + (inThread ? ["--in-thread"] : [])
                + [attempt.name, attempt.argument],
            configuration: configuration
        )
        let time = SystemTime()
        guard
            case .message(let bytes, _) = worker.receive(
                until: time.monotonic + 10_000_000_000,
                wake: wake,
                time: time
            )
        else {
            Issue.record("\(attempt.name) did not greet")
            return (.lost, WorkerPosture())
        }
        let posture = try WorkerMessage.decodeReady(bytes).posture
        guard case .hungUp = worker.receive(until: time.monotonic + 10_000_000_000, wake: wake, time: time) else {
            return (.lost, posture)
        }
        switch worker.endAfterHangUp() {
        case .crashed(signal: SIGSYS): return (.killed, posture)
        case .crashed: return (.lost, posture)
        case .lost:
            guard let code = worker.exitCode else { return (.lost, posture) }
            return (code == 0 ? .succeeded : .refused(errno: code), posture)
        }
    }

    /// Checks that attempts work without the sandbox and not with it.
    private func check(_ attempts: [Attempt], impossible limit: Int) throws {
        var impossible: [String] = []
        for attempt in attempts {
            let (unlocked, _) = try run(attempt, .off)
            if unlocked != .succeeded { impossible.append("\(attempt.name) (\(unlocked))") }
            let (locked, posture) = try run(attempt, .require)
            #expect(posture.missingRequirements.isEmpty)
            switch locked {
            case .killed, .refused: break
            case .succeeded, .lost: Issue.record("\(attempt.name): \(locked)")
            }
        }
        if !impossible.isEmpty {
            print("\(impossible.count) of \(attempts.count) are refused without the sandbox, too: \(impossible)")
        }
        #expect(impossible.count <= limit, "\(impossible)")
    }

    /// Whether this kernel has what `require` demands; tests that need it are skipped otherwise.
    static let isPossible: Bool = edge_landlock_version() >= 1

    @Test(.enabled(if: isPossible))
    func `reaches neither the daemon's memory and environment nor its descriptors`() throws {
        let secret = UnsafeMutablePointer<UInt8>.allocate(capacity: 1)
        unsafe secret.initialize(to: 7)
        defer { unsafe secret.deallocate() }
        let process = "\(getpid())"
        let address = "\(process):\(UInt(bitPattern: secret))"
        try check(
            [
                Attempt("read-environment", process), Attempt("read-maps", process),
                Attempt("read-memory-file", address), Attempt("read-memory", address),
                Attempt("trace", process), Attempt("take-descriptor", "\(process):0"),
                Attempt("open-descriptor", "/proc/\(process)/fd"), Attempt("list-folder", "/proc/\(process)/task"),
                Attempt("change-limits", process), Attempt("write-memory-file", address),
                Attempt("write-memory", address),
            ],
            impossible: 3
        )
    }

    @Test(.enabled(if: isPossible))
    func `reaches no sibling worker`() async throws {
        try await PoolBench.withPool { pool in
            try await pool.wait { $0.ready == 1 }
            let sibling = pool.statistics.workers[0].pid
            let names = ["read-environment", "read-maps", "trace", "take-descriptor", "change-priority", "signal"]
            try check(names.map { Attempt($0, "\(sibling):3") }, impossible: 3)
        }
    }

    @Test(.enabled(if: isPossible))
    func `opens, changes and lists no file of the daemon`() throws {
        let folder = try TemporaryFolder()
        let index = folder.path + "/index.sqlite"
        try #require(SampleFile.write([1, 2, 3], to: index))
        try check(
            [
                Attempt("read-file", index), Attempt("write-file", index), Attempt("truncate-file", index),
                Attempt("list-folder", folder.path), Attempt("read-file", "/etc/passwd"),
                Attempt("read-file", "/proc/self/maps"), Attempt("list-folder", "/"),
                Attempt("list-folder", "/usr/lib"), Attempt("change-flags"),
            ],
            impossible: 0
        )
        try check(
            [Attempt("create-file", folder.path + "/a"), Attempt("create-folder", folder.path + "/b")],
            impossible: 0
        )
        try check([Attempt("write-log")], impossible: 1)
        let (removed, _) = try run(Attempt("remove-file", index), .require)
        #expect(removed == .refused(errno: EACCES))
    }

    @Test(.enabled(if: isPossible))
    func `still reads fonts`() throws {
        let folders: [String] = ["/usr/share/fonts", "/etc/fonts"]
        let fonts = folders.filter { path in unsafe access(path, R_OK) == 0 }
        for path in fonts {
            let (outcome, _) = try run(Attempt("list-folder", path), .require)
            #expect(outcome == .succeeded, "\(path)")
        }
    }

    @Test(.enabled(if: isPossible))
    func `connects to nothing, be it the admin listener or a Unix socket`() throws {
        let (server, port) = try Self.tcpListener()
        let folder = try TemporaryFolder()
        let path = folder.path + "/admin.sock"
        let listener = try Self.unixListener(path, isAbstract: false)
        let name = "edgeprint-test-\(getpid())"
        let abstract = try Self.unixListener(name, isAbstract: true)
        defer {
            close(server)
            close(listener)
            close(abstract)
        }
        try check(
            [
                Attempt("connect-tcp", "\(port)"), Attempt("connect-unix", path),
                Attempt("connect-abstract", name), Attempt("send-udp"), Attempt("open-netlink"),
            ],
            impossible: 0
        )
    }

    @Test(.enabled(if: isPossible))
    func `starts no process and outlives none`() throws {
        try check(
            [
                Attempt("start-shell"), Attempt("execute-memory-file"), Attempt("fork"), Attempt("vfork"),
                Attempt("survive-parent"), Attempt("become-dumpable"), Attempt("signal", "\(getpid())"),
                Attempt("signal-thread", "\(getpid())"), Attempt("signal-by-owner", "\(getpid())"),
            ],
            impossible: 0
        )
        // A process that leads its group cannot found a session.
        let (outcome, _) = try run(Attempt("leave-session"), .require)
        #expect(outcome == .killed)
    }

    @Test(.enabled(if: isPossible))
    func `makes no machine code, and reaches no further part of the kernel`() throws {
        let folder = try TemporaryFolder()
        try check(
            [
                Attempt("map-code"), Attempt("make-code"), Attempt("map-code-file"), Attempt("read-implies-exec"),
                Attempt("io-uring"), Attempt("bpf"), Attempt("userfaultfd"), Attempt("perf-event"),
                Attempt("new-namespace"), Attempt("mount", folder.path), Attempt("other-architecture"),
            ],
            impossible: 4
        )
    }

    @Test(.enabled(if: isPossible))
    func `locks threads that exist before`() throws {
        for attempt in [Attempt("read-file", "/etc/passwd"), Attempt("list-folder", "/")] {
            let (unlocked, _) = try run(attempt, .off, inThread: true)
            #expect(unlocked == .succeeded)
            let (locked, _) = try run(attempt, .require, inThread: true)
            #expect(locked == .refused(errno: EACCES), "\(attempt.name): \(locked)")
        }
        let (killed, _) = try run(Attempt("fork"), .require, inThread: true)
        #expect(killed == .killed)
    }

    private static func tcpListener() throws -> (CInt, UInt16) {
        let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        try #require(listener >= 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(listener, $0, size) == 0 && listen(listener, 8) == 0
                    && getsockname(listener, $0, &size) == 0
            }
        }
        try #require(bound)
        return (listener, UInt16(bigEndian: address.sin_port))
    }

    private static func unixListener(_ name: String, isAbstract: Bool) throws -> CInt {
        let listener = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        try #require(listener >= 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(name.utf8)
        let shift = isAbstract ? 1 : 0
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { path in
            for (index, byte) in bytes.enumerated() { unsafe path[index + shift] = byte }
        }
        let size = socklen_t(MemoryLayout<sa_family_t>.size + shift + bytes.count)
        let bound = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(listener, $0, size) }
        }
        try #require(bound == 0 && listen(listener, 8) == 0)
        return listener
    }
}

/// Writes small files for attempts.
private enum SampleFile {
    static func write(_ bytes: [UInt8], to path: String) -> Bool {
        let file = unsafe edge_open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { return false }
        defer { close(file) }
        return unsafe Glibc.write(file, bytes, bytes.count) == bytes.count
    }
}
