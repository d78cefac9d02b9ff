import Foundation
import TestSupport

/// The units of `deploy/` under a separate systemd, which applies every directive to the binaries built with the tests.
///
/// `scripts/boot-units` boots it; it stops when this object is released.
final class BootedUnits {
    struct Failure: Error {
        var text: String
    }

    /// The reason why no systemd can be booted here, or empty.
    static let obstacle: String = {
        guard let run = try? CommandRun(program: script, ["--obstacle"]) else { return "boot-units does not run" }
        return (run.output + run.errors).trimmingCharacters(in: .whitespacesAndNewlines)
    }()
    private static let script = Checkout.path("scripts/boot-units")

    /// The root of its files, readable and writable for tests.
    let root: String
    private let first: String
    private let process = Process()
    private let life = Pipe()

    /// Boots systemd, and starts the socket and the service.
    ///
    /// - Parameters:
    ///   - yaml: the configuration without listeners, which use free loopback ports.
    ///   - service: directives of a drop-in's `[Service]`.
    ///   - listeners: `listen` and `admin`, instead of free loopback ports.
    init(_ yaml: String, service: String = "", listeners: String = DaemonProcess.listeners) throws {
        let folder = try TemporaryFolder()
        let (configuration, dropIn) = (folder.path + "/edgeprint.yaml", folder.path + "/test.conf")
        try (listeners + yaml).write(toFile: configuration, atomically: true, encoding: .utf8)
        try "[Service]\n\(service)\n".write(toFile: dropIn, atomically: true, encoding: .utf8)
        let output = Pipe()
        let errors = Pipe()
        process.executableURL = URL(fileURLWithPath: Self.script)
        process.arguments = [DaemonProcess.buildFolder, configuration, dropIn]
        process.environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]
        (process.standardInput, process.standardOutput, process.standardError) = (life, output, errors)
        try process.run()
        // Its only output is this line, which fits into a pipe's buffer.
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        first = line.trimmingCharacters(in: .whitespacesAndNewlines)
        root = "/proc/\(first)/root"
        guard !first.isEmpty else {
            throw Failure(text: String(decoding: errors.fileHandleForReading.availableData, as: UTF8.self))
        }
        let start = try run("systemctl", "start", "edgeprint.socket", "edgeprint.service")
        guard start.code == 0 else { throw Failure(text: start.errors + (try journal())) }
    }

    deinit {
        try? life.fileHandleForWriting.close()
        process.terminate()
        process.waitUntilExit()
    }

    /// Runs a command in the booted system, as root and outside of the sandbox.
    @discardableResult
    func run(_ command: String...) throws -> CommandRun {
        try CommandRun(
            program: "/usr/bin/nsenter",
            ["--target", first, "--mount", "--pid", "--cgroup", "--root", "--wd"] + command
        )
    }

    /// A property of the service, as systemd knows it.
    func property(_ name: String) throws -> String {
        try run("systemctl", "show", "-P", name, "edgeprint.service").output
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// The process ids of the service's workers inside the namespace.
    func workers() throws -> [String] {
        let main = try property("MainPID")
        return try run("cat", "/sys/fs/cgroup/system.slice/edgeprint.service/cgroup.procs").output
            .split(separator: "\n").map(String.init).filter { $0 != main }
    }

    /// The log of the daemon and its workers.
    func journal() throws -> String {
        try run("journalctl", "--no-pager", "--quiet", "-o", "cat", "_SYSTEMD_UNIT=edgeprint.service").output
    }

    /// Sends one request through the activated socket.
    func get(_ target: String) throws -> RawHTTPResponse {
        try RawHTTPClient(unixPath: root + "/run/edgeprint.sock", timeoutMilliseconds: 20_000).get(target)
    }
}
