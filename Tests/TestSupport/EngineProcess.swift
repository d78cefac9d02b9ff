import Foundation
import Glibc
import LinuxSystem

/// A server that tests run beside the daemon, killed when this object is released, or the test process ends.
package final class EngineProcess: Sendable {
    /// The longest time to start, in nanoseconds.
    static let patience: Int64 = 50_000_000_000

    /// Runs the program, and once the test process has ended, kills it and deletes its folder.
    private static let script = """
        "$@" >log 2>&1 & engine=$!
        echo $engine >new; mv new process
        (while kill -0 $PPID 2>/dev/null; do sleep 1; done; trap "" TERM; kill -9 $engine; rm -rf "$0") & watcher=$!
        wait $engine; kill $watcher
        """

    /// Its working directory.
    let folder: TemporaryFolder
    let identifier: pid_t
    private let process: Process

    /// Starts a program.
    init(in folder: TemporaryFolder, _ arguments: [String]) throws {
        self.folder = folder
        process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", Self.script, folder.path] + arguments
        process.currentDirectoryURL = URL(filePath: folder.path)
        // It may outlive the test process by a moment, whose output others read to its end.
        process.standardInput = FileHandle.nullDevice
        (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
        try process.run()
        var identifier: pid_t?
        while identifier == nil, process.isRunning {
            let text = try? String(contentsOfFile: folder.path + "/process", encoding: .utf8)
            identifier = text.flatMap { pid_t($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
        }
        guard let identifier else { throw StoreEngine.Failure.unready(log: "") }
        self.identifier = identifier
    }

    deinit {
        kill()
        process.waitUntilExit()
    }

    func kill() { Glibc.kill(identifier, SIGKILL) }

    /// Repeats a question until the answer is true.
    ///
    /// - Throws: `StoreEngine.Failure.unready` if the program ends, or takes too long.
    func wait(until isReady: () throws -> Bool) throws {
        let deadline = SystemTime().monotonic + Self.patience
        while try !isReady() {
            guard process.isRunning, SystemTime().monotonic < deadline else {
                throw StoreEngine.Failure.unready(
                    log: (try? String(contentsOfFile: folder.path + "/log", encoding: .utf8)) ?? ""
                )
            }
            usleep(5_000)
        }
    }

    /// The path of a program in `.build/engines/bin`, where `scripts/install-engines` installs it; `nil` if it is not there.
    static func program(_ name: String) -> String? {
        file("bin/\(name)").flatMap { FileManager.default.isExecutableFile(atPath: $0) ? $0 : nil }
    }

    /// The path of a file in `.build/engines`, where `scripts/install-engines` puts it; `nil` if it is not there.
    package static func file(_ name: String) -> String? {
        // The test bundle is in .build/debug, or in another folder of the build.
        var folder = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        while let slash = folder.lastIndex(of: "/") {
            folder = String(folder[..<slash])
            let path = folder + "/engines/\(name)"
            if FileManager.default.fileExists(atPath: path) { return path }
        }
        return nil
    }

    /// Ports of loopback that nothing uses at the moment.
    static func freePorts(_ count: Int) throws -> [UInt16] {
        let origins = try (0..<count).map { _ in try ScriptedOrigin { _, _ in } }
        defer { origins.forEach { $0.stop() } }
        return origins.map(\.port)
    }

    /// Runs a program to its end; returns its status and what it has written to standard output.
    static func run(_ program: String, _ arguments: [String]) throws -> (status: Int32, output: String) {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.standardOutput = output
        try process.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: text, as: UTF8.self))
    }
}
