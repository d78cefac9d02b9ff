import Foundation
import TestSupport

/// A completed run of the real binary or another program: its output and exit code.
struct CommandRun {
    /// Standard output.
    let output: String
    /// Standard error.
    let errors: String
    /// The exit code; 128 + the signal number for a process ended by a signal.
    let code: Int32

    /// Runs a program.
    ///
    /// - Parameters:
    ///   - program: its path; by default the binary built with the tests.
    ///   - environment: its environment, in addition to PATH.
    ///   - input: its standard input.
    init(
        program: String = DaemonProcess.buildFolder + "/edgeprint",
        _ arguments: [String],
        environment: [String: String] = [:],
        input: String = ""
    ) throws {
        let folder = try TemporaryFolder()
        let paths = ["in", "out", "err"].map { folder.path + "/" + $0 }
        for path in paths {
            try (path == paths[0] ? input : "").write(toFile: path, atomically: false, encoding: .utf8)
        }
        let handles = try [
            FileHandle(forReadingFrom: URL(fileURLWithPath: paths[0])),
            FileHandle(forWritingTo: URL(fileURLWithPath: paths[1])),
            FileHandle(forWritingTo: URL(fileURLWithPath: paths[2])),
        ]
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"].merging(environment) { $1 }
        (process.standardInput, process.standardOutput, process.standardError) = (handles[0], handles[1], handles[2])
        try process.run()
        process.waitUntilExit()
        output = try String(decoding: Data(contentsOf: URL(fileURLWithPath: paths[1])), as: UTF8.self)
        errors = try String(decoding: Data(contentsOf: URL(fileURLWithPath: paths[2])), as: UTF8.self)
        code = process.terminationStatus + (process.terminationReason == .uncaughtSignal ? 128 : 0)
    }
}
