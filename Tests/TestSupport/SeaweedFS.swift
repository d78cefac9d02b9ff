import Foundation
import Glibc
import LinuxSystem

/// SeaweedFS with its S3 API on loopback: an object store that other people have written.
///
/// `scripts/install-engines` installs it. It is killed when this object is released, or the test process ends.
package final class SeaweedFS: Sendable {
    package static let accessKey = "AKIDTEST"
    package static let secretKey = "secret/key+1"
    package static let bucket = "pics"
    /// The program; `nil` if it is not installed.
    package static let program = EngineProcess.program("weed")

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
    private let process: EngineProcess

    /// Starts it with one identity and one empty bucket.
    package init() throws {
        guard let program = Self.program else { throw StoreEngine.Failure.missing }
        let folder = try TemporaryFolder()
        let identities = """
            {"identities": [{"name": "edge", "actions": ["Admin", "Read", "Write", "List"],
            "credentials": [{"accessKey": "\(Self.accessKey)", "secretKey": "\(Self.secretKey)"}]}]}
            """
        try identities.write(toFile: folder.path + "/s3.json", atomically: false, encoding: .utf8)
        let ports = try EngineProcess.freePorts(8)
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
        process = try EngineProcess(in: folder, arguments)
        // The S3 API listens before the store behind it is ready.
        let bucket = "\(endpoint)/\(Self.bucket)"
        try process.wait { try S3Curl.status(bucket, Self.accessKey, ["-X", "PUT"]) == "200" }
    }

    /// Stops it from responding, without closing its connections.
    package func freeze() { Glibc.kill(process.identifier, SIGSTOP) }

    /// Continues after `freeze`.
    package func thaw() { Glibc.kill(process.identifier, SIGCONT) }

    /// Ends it.
    package func kill() { process.kill() }

    /// Stores an object, through the store's own API for files, which no signature can garble.
    ///
    /// - Parameter path: the key, percent-encoded.
    package func put(_ path: String, _ bytes: [UInt8]) throws {
        let file = process.folder.path + "/upload-\(UUID())"
        try Data(bytes).write(to: URL(filePath: file))
        defer { TemporaryFolder.delete(file) }
        let url = "\(filer)/buckets/\(Self.bucket)/\(path)"
        let status = try S3Curl.status(url, Self.accessKey, ["-T", file, "-H", "Content-Type: image/png"])
        guard status == "201" || status == "200" else { throw StoreEngine.Failure.upload("\(path): \(status)") }
    }
}
