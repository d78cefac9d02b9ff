import Foundation
import Glibc
import LinuxSystem

/// SeaweedFS with its S3 API on loopback: an object store that other people have written.
///
/// `scripts/install-engines` installs it. It is killed when this object is released, or the test process ends.
package final class SeaweedFS: Sendable {
    package enum Failure: Error {
        case missing
        case unready(log: String)
        case upload(String)
    }

    package static let accessKey = "AKIDTEST"
    package static let secretKey = "secret/key+1"
    package static let bucket = "pics"
    /// The longest time to start, in nanoseconds.
    private static let patience: Int64 = 50_000_000_000

    /// The program; `nil` if it is not installed.
    package static let program: String? = {
        var folder = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        while let slash = folder.lastIndex(of: "/") {
            folder = String(folder[..<slash])
            let program = folder + "/engines/bin/weed"
            if FileManager.default.isExecutableFile(atPath: program) { return program }
        }
        return nil
    }()

    /// Runs the program, and once the test process has ended, kills it and deletes its folder.
    private static let script = """
        "$@" >log 2>&1 & engine=$!
        echo $engine >new; mv new process
        (while kill -0 $PPID 2>/dev/null; do sleep 1; done; kill -9 $engine; rm -rf "$0") & watcher=$!
        wait $engine; kill $watcher
        """

    /// Whether tests with it run; `make test` requires it.
    package static let isWanted = program != nil || TestEnvironment.value("EDGEPRINT_ENGINES") == "required"

    private static let engine = Result { try SeaweedFS() }

    /// The engine of tests that do not disturb it, started once; it ends with the test process.
    package static func shared() throws -> SeaweedFS { try engine.get() }

    /// A key prefix that no other test has, with a slash at its end.
    package static func prefix() throws -> String {
        try String(TemporaryFolder().path.split(separator: "-").last ?? "") + "/"
    }

    /// `http://127.0.0.1:PORT` of the S3 API.
    package let endpoint: String
    /// The port of the S3 API.
    package let port: UInt16
    private let filer: String
    private let folder: TemporaryFolder
    private let process: Process
    private let identifier: pid_t

    /// Starts it with one identity and one empty bucket.
    package init() throws {
        guard let program = Self.program else { throw Failure.missing }
        folder = try TemporaryFolder()
        let identities = """
            {"identities": [{"name": "edge", "actions": ["Admin", "Read", "Write", "List"],
            "credentials": [{"accessKey": "\(Self.accessKey)", "secretKey": "\(Self.secretKey)"}]}]}
            """
        try identities.write(toFile: folder.path + "/s3.json", atomically: false, encoding: .utf8)
        let ports = try Self.freePorts(8)
        port = ports[0]
        endpoint = "http://127.0.0.1:\(ports[0])"
        filer = "http://127.0.0.1:\(ports[1])"
        let arguments =
            [
                program, "server", "-dir=\(folder.path)", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", "-volume.max=4",
                "-master.volumeSizeLimitMB=64", "-master.telemetry=false", "-filer", "-s3",
                "-s3.config=\(folder.path)/s3.json", "-s3.port.iceberg=0", "-s3.port.lance=0",
            ]
            + zip(
                [
                    "s3.port", "filer.port", "s3.port.grpc", "filer.port.grpc", "master.port", "master.port.grpc",
                    "volume.port", "volume.port.grpc",
                ],
                ports
            ).map { "-\($0)=\($1)" }
        process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", Self.script, folder.path] + arguments
        process.currentDirectoryURL = URL(filePath: folder.path)
        // It may outlive the test process by a moment, whose output others read to its end.
        process.standardInput = FileHandle.nullDevice
        (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
        try process.run()
        let deadline = SystemTime().monotonic + Self.patience
        var identifier: pid_t?
        while identifier == nil, process.isRunning {
            let text = try? String(contentsOfFile: folder.path + "/process", encoding: .utf8)
            identifier = text.flatMap { pid_t($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
        }
        guard let identifier else { throw Failure.unready(log: "") }
        self.identifier = identifier
        // The S3 API listens before the store behind it is ready.
        while try Self.curl("-X", "PUT", "\(endpoint)/\(Self.bucket)") != "200" {
            guard process.isRunning, SystemTime().monotonic < deadline else {
                throw Failure.unready(log: (try? String(contentsOfFile: folder.path + "/log", encoding: .utf8)) ?? "")
            }
        }
    }

    deinit {
        kill()
        process.waitUntilExit()
    }

    /// Stops it from responding, without closing its connections.
    package func freeze() { Glibc.kill(identifier, SIGSTOP) }

    /// Continues after `freeze`.
    package func thaw() { Glibc.kill(identifier, SIGCONT) }

    /// Ends it.
    package func kill() { Glibc.kill(identifier, SIGKILL) }

    /// Stores an object, through the store's own API for files, which no signature can garble.
    ///
    /// - Parameter path: the key, percent-encoded.
    package func put(_ path: String, _ bytes: [UInt8]) throws {
        let file = folder.path + "/upload-\(UUID())"
        try Data(bytes).write(to: URL(filePath: file))
        defer { TemporaryFolder.delete(file) }
        let status = try Self.curl(
            "-T",
            file,
            "-H",
            "Content-Type: image/png",
            "\(filer)/buckets/\(Self.bucket)/\(path)"
        )
        guard status == "201" || status == "200" else { throw Failure.upload("\(path): \(status)") }
    }

    /// The status of a request for an object.
    package func status(of path: String) throws -> String { try Self.curl("\(endpoint)/\(Self.bucket)/\(path)") }

    /// The status of a request of curl, signed as S3 expects.
    private static func curl(_ arguments: String...) throws -> String {
        let curl = Process()
        let output = Pipe()
        curl.executableURL = URL(filePath: "/usr/bin/curl")
        curl.arguments =
            [
                "-s", "-o", "/dev/null", "-w", "%{http_code}", "--path-as-is", "--max-time", "10", "--aws-sigv4",
                "aws:amz:us-east-1:s3", "-u", "\(accessKey):\(secretKey)",
            ] + arguments
        curl.standardOutput = output
        try curl.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        curl.waitUntilExit()
        return String(decoding: text, as: UTF8.self)
    }

    private static func freePorts(_ count: Int) throws -> [UInt16] {
        let origins = try (0..<count).map { _ in try ScriptedOrigin { _, _ in } }
        defer { origins.forEach { $0.stop() } }
        return origins.map(\.port)
    }
}
