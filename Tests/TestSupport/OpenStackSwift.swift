import Foundation

/// OpenStack Swift with its S3 API on loopback, run by `Tests/ObjectStores/swift-server.py`.
///
/// `scripts/install-engines` unpacks it from Debian's packages.
package final class OpenStackSwift: Sendable {
    /// An account and a user of it.
    static let accessKey = "edge:tests"

    /// Whether it could run here: it needs Debian's Python, and a file system with extended attributes.
    package static let isPossible = parent != nil
    /// Whether it is installed, or must be.
    package static let isInstalled = program != nil || TestEnvironment.value("EDGEPRINT_ENGINES") == "required"
    /// Whether tests with it run.
    package static let isWanted = isPossible && isInstalled

    private static let program = EngineProcess.program("swift-python")

    /// Where folders with extended attributes can be created: the usual place, the build's, or `nil`.
    private static let parent: String? = {
        let places = [TestEnvironment.value("TMPDIR") ?? "/tmp", Checkout.path(".build")]
        return places.first { place in
            guard let folder = try? TemporaryFolder(in: place) else { return false }
            let arguments = ["-c", "import os, sys; os.setxattr(sys.argv[1], 'user.edgeprint', b'1')", folder.path]
            return (try? EngineProcess.run("/usr/bin/python3", arguments).status) == 0
        }
    }()

    private static let engine = Result { try OpenStackSwift() }

    /// The engine, started once; it ends with the test process.
    package static func shared() throws -> OpenStackSwift { try engine.get() }

    /// `http://127.0.0.1:PORT` of the S3 API.
    package let endpoint: String
    private let process: EngineProcess

    private init() throws {
        guard let program = Self.program, let parent = Self.parent else { throw StoreEngine.Failure.missing }
        let port = try EngineProcess.freePorts(1)[0]
        let folder = try TemporaryFolder(in: parent)
        endpoint = "http://127.0.0.1:\(port)"
        process = try EngineProcess(
            in: folder,
            [
                program, Checkout.path("Tests/ObjectStores/swift-server.py"), folder.path, "\(port)", Self.accessKey,
                SeaweedFS.secretKey,
            ]
        )
        let bucket = "\(endpoint)/\(SeaweedFS.bucket)"
        try process.wait { try S3Curl.status(bucket, Self.accessKey, ["-X", "PUT"]) == "200" }
    }
}
