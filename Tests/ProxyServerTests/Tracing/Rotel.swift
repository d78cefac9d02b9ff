import Foundation
import Glibc
import TestSupport

/// Rotel on loopback: a collector that other people have written, which prints each span that it has understood.
///
/// `scripts/install-engines` installs it. It is killed when this object is released.
final class Rotel {
    enum Failure: Error {
        case missing
        case ended(output: String)
    }

    /// The program; `nil` if it is not installed.
    static let program: String? = {
        var folder = URL(filePath: DaemonProcess.buildFolder)
        while folder.path != "/" {
            let libraries = folder.appending(path: "engines/lib").path
            for python in TemporaryFolder.names(in: libraries) {
                let program = "\(libraries)/\(python)/site-packages/rotel/rotel-agent"
                if FileManager.default.isExecutableFile(atPath: program) { return program }
            }
            folder.deleteLastPathComponent()
        }
        return nil
    }()

    /// `http://127.0.0.1:PORT` of the receiver of OTLP over HTTP.
    let endpoint: String
    private let folder: TemporaryFolder
    private let process = Process()

    /// Starts it.
    init() throws {
        guard let program = Self.program else { throw Failure.missing }
        folder = try TemporaryFolder()
        let origins = try (0..<2).map { _ in try ScriptedOrigin { _, _ in } }
        let ports = origins.map(\.port)
        for origin in origins { origin.stop() }
        endpoint = "http://127.0.0.1:\(ports[0])"
        process.executableURL = URL(filePath: program)
        process.arguments = [
            "start", "--exporter", "blackhole", "--otlp-http-endpoint", "127.0.0.1:\(ports[0])",
            "--otlp-grpc-endpoint", "127.0.0.1:\(ports[1])", "--debug-log", "traces",
            "--debug-log-verbosity", "detailed",
        ]
        process.environment = ["PATH": "/usr/bin:/bin", "NO_COLOR": "1", "ROTEL_DISABLE_TELEMETRY": "true"]
        let path = folder.path + "/output"
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        let handle = try FileHandle(forWritingTo: URL(filePath: path))
        (process.standardOutput, process.standardError) = (handle, handle)
        try process.run()
        try waitFor {
            guard process.isRunning else { throw Failure.ended(output: output) }
            return try? RawHTTPClient(port: ports[0])
        }
    }

    deinit {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Waits until it has printed a text a number of times; false after 20 seconds.
    func waits(for text: String, times: Int) -> Bool {
        let end = ContinuousClock.now + .seconds(20)
        while output.ranges(of: text).count < times {
            guard ContinuousClock.now < end else { return false }
            sched_yield()
        }
        return true
    }

    /// What it has printed.
    var output: String { (try? String(contentsOfFile: folder.path + "/output", encoding: .utf8)) ?? "" }
}
