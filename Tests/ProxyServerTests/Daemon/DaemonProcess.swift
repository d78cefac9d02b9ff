import CLinux
import Glibc
import LinuxSystem
import TestSupport
import Testing

/// The real binary with its own configuration, on free loopback ports.
///
/// It is killed when this object is released.
final class DaemonProcess: Sendable {
    enum Failure: Error {
        case notStarted(binary: String, log: String)
    }

    let identifier: pid_t
    /// The public listener's port.
    let port: UInt16
    /// The admin listener's port.
    let admin: UInt16
    /// The configuration file's path.
    let configurationFile: String
    private let log: DaemonLog
    private let status = Lock<CInt?>(nil)

    /// Starts the daemon and waits until it listens.
    ///
    /// - Parameters:
    ///   - yaml: the configuration without `listen` and `admin`, which are added.
    ///   - folder: the folder of the configuration file.
    ///   - environment: its environment, in addition to PATH.
    ///   - output: a file for standard output, which is the access log; by default the test's own.
    ///   - listeners: `listen` and `admin`; free loopback ports by default.
    ///   - binary: the daemon; by default the one built with the tests.
    init(
        _ yaml: String,
        in folder: TemporaryFolder,
        listeners: String = listeners,
        environment: [String: String] = [:],
        output: String? = nil,
        binary: String? = nil
    ) throws {
        let binary = binary ?? TestEnvironment.value("EDGEPRINT_BINARY") ?? Self.buildFolder + "/edgeprint"
        configurationFile = folder.path + "/edgeprint.yaml"
        try Self.save(yaml, listeners, to: configurationFile)
        log = try DaemonLog()
        identifier = try Self.spawn(
            binary,
            ["serve", "--config", configurationFile],
            environment,
            output: output,
            standardError: log.writeEnd
        )
        log.closeWriteEnd()
        guard let port = log.port(of: "public"), let admin = log.port(of: "admin") else {
            kill(identifier, SIGKILL)
            throw Failure.notStarted(binary: binary, log: log.text)
        }
        self.port = port
        self.admin = admin
    }

    deinit { killNow() }

    /// Everything that the daemon has written to standard error.
    var logText: String { log.text }

    /// Writes another configuration file, which the daemon reads on a reload.
    ///
    /// - Parameters:
    ///   - yaml: the configuration without listeners.
    ///   - listeners: the listeners, instead of the initial ones.
    func rewrite(_ yaml: String, listeners: String = listeners) throws {
        try Self.save(yaml, listeners, to: configurationFile)
    }

    /// Blocks until the event log contains a text.
    func waitForLog(_ text: String, times: Int = 1) throws { try log.wait(for: text, times: times) }

    /// Blocks until `/readyz` responds with 200; returns its text.
    @discardableResult
    func waitUntilReady() throws -> String {
        try waitFor {
            let answer = try RawHTTPClient(port: admin).get("/readyz")
            return answer.status == 200 ? answer.text : nil
        }
    }

    static let listeners = "listen: 127.0.0.1:0\nadmin: { listen: \"127.0.0.1:0\" }\n"

    /// Kills the process and waits until it has ended.
    func killNow() {
        signal(SIGKILL)
        waitForExit()
    }

    /// Sends a signal, unless the process has been waited for.
    func signal(_ number: CInt) {
        status.withLock { if $0 == nil { kill(identifier, number) } }
    }

    /// Blocks until the process has ended; its exit code, or 128 + the signal.
    @discardableResult
    func waitForExit() -> CInt {
        status.withLock { status in
            if let status { return status }
            var raw: CInt = 0
            while unsafe waitpid(identifier, &raw, 0) < 0, errno == EINTR {}
            let code = edge_wait_exited(raw) != 0 ? edge_wait_exit_code(raw) : 128 + edge_wait_signal(raw)
            status = code
            return code
        }
    }

    /// The number of its open descriptors.
    ///
    /// Only root may list them, since the daemon is not dumpable; for others the folder's size is their number (Linux 6.2).
    var openDescriptors: Int {
        let path = "/proc/\(identifier)/fd"
        guard let folder = unsafe opendir(path) else {
            var status = stat()
            let isKnown = unsafe stat(path, &status) == 0 && status.st_size > 0
            if !isKnown {
                Issue.record("the descriptors of the daemon cannot be counted; run as root, or on Linux 6.2")
            }
            return Int(status.st_size)
        }
        defer { unsafe closedir(folder) }
        // Without `.` and `..`.
        var count = -2
        while unsafe readdir(folder) != nil { count += 1 }
        return count
    }

    /// The folder with the build products next to this test's executable.
    static let buildFolder: String = {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count - 1)
        let path = String(decoding: buffer[0..<max(0, count)].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    }()

    /// The text of a small file, or `nil` if it cannot be read.
    static func contents(of path: String) -> String? {
        let descriptor = unsafe edge_open(path, O_RDONLY, 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = unsafe read(descriptor, &buffer, buffer.count)
        return count < 0 ? nil : String(decoding: buffer[0..<count], as: UTF8.self)
    }

    private static func save(_ yaml: String, _ listeners: String, to path: String) throws(Errno) {
        // On a busy machine requests may wait long for a worker.
        let patience = yaml.contains("overload:") ? "" : "\noverload: { queue-time: 1m }\n"
        let text = listeners + yaml + patience
        let descriptor = try checked("open") { unsafe edge_open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600) }
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        try checked("write") { unsafe write(descriptor, bytes, bytes.count) }
    }

    private static func spawn(
        _ binary: String,
        _ arguments: [String],
        _ environment: [String: String],
        output: String?,
        standardError: CInt
    ) throws(Errno) -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, standardError, 2)
        if let output {
            unsafe posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        }
        var vector = unsafe ([binary] + arguments).map { unsafe strdup($0) } + [nil]
        defer { unsafe vector.forEach { unsafe free($0) } }
        var identifier: pid_t = 0
        // A separate environment, because the daemon rejects the tests' variables, which also begin with EDGEPRINT_.
        let variables = ["PATH=/usr/bin:/bin"] + environment.map { "\($0.key)=\($0.value)" }
        var block = unsafe variables.map { unsafe strdup($0) } + [nil]
        defer { unsafe block.forEach { unsafe free($0) } }
        let code = unsafe posix_spawn(&identifier, binary, &actions, nil, &vector, &block)
        guard code == 0 else { throw Errno(code, "posix_spawn") }
        return identifier
    }
}
