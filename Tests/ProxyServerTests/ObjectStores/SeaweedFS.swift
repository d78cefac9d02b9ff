import Foundation
import Glibc
import TestSupport
import Testing

/// SeaweedFS with its S3 API on loopback: an object store that other people have written.
///
/// `scripts/install-engines` installs it. It is killed when this object is released.
final class SeaweedFS {
    enum Failure: Error {
        case missing
        case ended(log: String)
        case upload(String)
    }

    static let accessKey = "AKIDTEST"
    static let secretKey = "secret/key+1"
    static let bucket = "pics"

    /// The program; `nil` if it is not installed.
    static let program: String? = {
        var folder = URL(filePath: DaemonProcess.buildFolder)
        while folder.path != "/" {
            let program = folder.appending(path: "engines/bin/weed").path
            if FileManager.default.isExecutableFile(atPath: program) { return program }
            folder.deleteLastPathComponent()
        }
        return nil
    }()

    /// `http://127.0.0.1:PORT` of the S3 API.
    let endpoint: String
    private let filer: String
    private let folder: TemporaryFolder
    private let process = Process()

    /// Starts it with one identity and one empty bucket.
    init() throws {
        guard let program = Self.program else { throw Failure.missing }
        folder = try TemporaryFolder()
        let identities = """
            {"identities": [{"name": "edge", "actions": ["Admin", "Read", "Write", "List"],
            "credentials": [{"accessKey": "\(Self.accessKey)", "secretKey": "\(Self.secretKey)"}]}]}
            """
        try identities.write(toFile: folder.path + "/s3.json", atomically: false, encoding: .utf8)
        let ports = try Self.freePorts(8)
        endpoint = "http://127.0.0.1:\(ports[0])"
        filer = "http://127.0.0.1:\(ports[1])"
        let log = folder.path + "/log"
        #expect(FileManager.default.createFile(atPath: log, contents: nil))
        process.executableURL = URL(filePath: program)
        process.arguments =
            [
                "server", "-dir=\(folder.path)", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", "-volume.max=4",
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
        let handle = try FileHandle(forWritingTo: URL(filePath: log))
        (process.standardOutput, process.standardError) = (handle, handle)
        process.currentDirectoryURL = URL(filePath: folder.path)
        try process.run()
        // The S3 API listens before the store behind it is ready.
        while try status("-X", "PUT", "\(endpoint)/\(Self.bucket)") != "200" {
            guard process.isRunning else {
                throw Failure.ended(log: (try? String(contentsOfFile: log, encoding: .utf8)) ?? "")
            }
        }
    }

    deinit {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Stores an object, through the store's own API for files, which no signature can garble.
    ///
    /// - Parameter path: the key, percent-encoded.
    func put(_ path: String, _ bytes: [UInt8]) throws {
        let file = folder.path + "/upload"
        try Data(bytes).write(to: URL(filePath: file))
        let status = try status("-T", file, "-H", "Content-Type: image/png", "\(filer)/buckets/\(Self.bucket)/\(path)")
        guard status == "201" || status == "200" else { throw Failure.upload("\(path): \(status)") }
    }

    /// The status of a request of curl, signed as S3 expects.
    private func status(_ arguments: String...) throws -> String {
        try CommandRun(
            program: "/usr/bin/curl",
            [
                "-s", "-o", "/dev/null", "-w", "%{http_code}", "--path-as-is", "--max-time", "10", "--aws-sigv4",
                "aws:amz:us-east-1:s3", "-u", "\(Self.accessKey):\(Self.secretKey)",
            ] + arguments
        ).output
    }

    private static func freePorts(_ count: Int) throws -> [UInt16] {
        let origins = try (0..<count).map { _ in try ScriptedOrigin { _, _ in } }
        defer { origins.forEach { $0.stop() } }
        return origins.map(\.port)
    }
}
