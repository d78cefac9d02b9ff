import Foundation
import TestSupport

/// One run of the real binary to its end, with an environment of its own.
struct CommandRun {
    let output: String
    let errors: String
    let status: Int32

    /// Runs `edgeprint` and waits for its end.
    ///
    /// - Parameters:
    ///   - input: the bytes of standard input.
    ///   - environment: beside `PATH`; the tests' own `EDGEPRINT_` variables are none of the program's.
    init(_ arguments: [String], input: String = "", environment: [String: String] = [:]) throws {
        try self.init(
            program: DaemonProcess.buildFolder + "/edgeprint",
            arguments,
            input: input,
            environment: environment
        )
    }

    /// Runs any program.
    init(program: String, _ arguments: [String], input: String = "", environment: [String: String] = [:]) throws {
        let folder = try TemporaryFolder()
        // Files and not pipes: nobody has to be read while somebody else is written to.
        let (input, output, errors) = (
            try File(folder, "in", content: input), try File(folder, "out"), try File(folder, "err")
        )
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.environment = ["PATH": "/usr/bin:/bin"].merging(environment) { $1 }
        process.standardInput = input.handle
        process.standardOutput = output.handle
        process.standardError = errors.handle
        try process.run()
        process.waitUntilExit()
        self.output = try output.text()
        self.errors = try errors.text()
        status = process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus
    }

    private struct File {
        let handle: FileHandle
        private let url: URL

        init(_ folder: TemporaryFolder, _ name: String, content: String = "") throws {
            url = URL(fileURLWithPath: folder.path + "/" + name)
            try Data(content.utf8).write(to: url)
            handle = try FileHandle(forUpdating: url)
        }

        func text() throws -> String { String(decoding: try Data(contentsOf: url), as: UTF8.self) }
    }
}
