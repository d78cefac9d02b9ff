import Foundation

/// The S3 stores that tests run on loopback, each with one empty bucket.
///
/// Each is started once, and ends with the test process.
package enum StoreEngine: CaseIterable, Sendable {
    /// It has conditional writes and lifecycle rules.
    case seaweedFS
    /// OpenStack Swift with its middleware s3api, which has neither.
    case swift

    /// Why an engine is not there.
    package enum Failure: Error {
        /// The program is not installed.
        case missing
        case unready(log: String)
        case upload(String)
    }

    /// A foreign client, which is not the daemon's own code, has failed; what it has printed before.
    package struct ForeignFailure: Error {
        package var output: String
    }

    /// The engines that tests run: all where they are required, else the installed ones.
    package static let wanted = allCases.filter { engine in
        switch engine {
        case .seaweedFS: SeaweedFS.isWanted
        case .swift: OpenStackSwift.isWanted
        }
    }

    /// The Python that has boto3; `nil` if it is not installed.
    private static let python: String? = {
        let find = "import importlib.util, sys; sys.exit(importlib.util.find_spec('boto3') is None)"
        return EngineProcess.program("python").flatMap { python in
            (try? EngineProcess.run(python, ["-c", find]).status) == 0 ? python : nil
        }
    }()

    /// Whether tests with boto3 run.
    package static let isForeignWanted = python != nil || TestEnvironment.value("EDGEPRINT_ENGINES") == "required"

    /// The name of the bucket.
    package var bucket: String { SeaweedFS.bucket }
    package var secretKey: String { SeaweedFS.secretKey }

    package var accessKey: String {
        switch self {
        case .seaweedFS: SeaweedFS.accessKey
        case .swift: OpenStackSwift.accessKey
        }
    }

    /// `http://127.0.0.1:PORT` of the S3 API; starts the engine at first.
    package var endpoint: String {
        get throws {
            switch self {
            case .seaweedFS: try SeaweedFS.shared().endpoint
            case .swift: try OpenStackSwift.shared().endpoint
            }
        }
    }

    /// Stores an object.
    package func put(_ key: String, _ bytes: [UInt8]) throws {
        let folder = try TemporaryFolder()
        let file = folder.path + "/upload"
        try Data(bytes).write(to: URL(filePath: file))
        let status = try S3Curl.status(self, key, ["-T", file])
        guard status == "200" else { throw Failure.upload("\(key): \(status)") }
    }

    /// The status of a request for an object.
    package func status(of key: String) throws -> String { try S3Curl.status(self, key) }

    /// Runs a command of `Tests/ObjectStores/foreign.py`, which uses boto3, on the bucket.
    ///
    /// - Returns: what it prints.
    /// - Throws: `ForeignFailure` if it fails; its reason is on standard error.
    package func foreign(_ arguments: String...) throws -> [UInt8] {
        guard let python = Self.python else { throw Failure.missing }
        let script = Checkout.path("Tests/ObjectStores/foreign.py")
        let (status, output) = try EngineProcess.run(
            python,
            [script, endpoint, accessKey, secretKey, bucket] + arguments
        )
        guard status == 0 else { throw ForeignFailure(output: output) }
        return Array(output.utf8)
    }
}

/// Requests of curl, signed as S3 expects.
enum S3Curl {
    static func status(_ engine: StoreEngine, _ key: String, _ arguments: [String] = []) throws -> String {
        let url = try "\(engine.endpoint)/\(engine.bucket)/\(key)"
        return try status(url, engine.accessKey, arguments)
    }

    static func status(_ url: String, _ accessKey: String, _ arguments: [String] = []) throws -> String {
        // In the URL, the access key may contain a colon.
        let user = [accessKey, SeaweedFS.secretKey].map {
            $0.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        }
        let authority = user.joined(separator: ":") + "@"
        return try EngineProcess.run(
            "/usr/bin/curl",
            [
                "-s", "-o", "/dev/null", "-w", "%{http_code}", "--path-as-is", "--max-time", "10", "--aws-sigv4",
                "aws:amz:us-east-1:s3", "-H", "X-Amz-Content-SHA256: UNSIGNED-PAYLOAD",
            ] + arguments + [url.replacing("://", with: "://" + authority, maxReplacements: 1)]
        ).output
    }
}
