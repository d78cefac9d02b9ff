import Foundation
import TestSupport

@testable import ProxyServer

/// Validators of JSON Schema and OpenAPI documents, which other people have written; `scripts/install-validators` installs them.
enum Validators {
    enum Failure: Error {
        case missing
        case failed(CommandRun)
    }

    /// The Python that has them; `nil` if they are not installed.
    static let python: String? = {
        var folder = URL(filePath: DaemonProcess.buildFolder)
        while folder.path != "/" {
            let program = folder.appending(path: "validators/bin/python3").path
            if FileManager.default.isExecutableFile(atPath: program) { return program }
            folder.deleteLastPathComponent()
        }
        return nil
    }()

    /// Whether tests of them run: `make test` requires them, `swift test` alone may skip them.
    static let isEnabled = python != nil || TestEnvironment.value("EDGEPRINT_ENGINES") == "required"

    /// Runs a script with a JSON document as its standard input.
    ///
    /// - Returns: what it prints.
    static func run(_ script: String, _ input: JSONValue) throws -> String {
        guard let python else { throw Failure.missing }
        let run = try CommandRun(program: python, ["-c", script], input: input.text)
        guard run.code == 0 else { throw Failure.failed(run) }
        return run.output
    }
}
