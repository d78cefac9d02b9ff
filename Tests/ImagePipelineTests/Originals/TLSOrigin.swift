import Glibc
import ImagePipeline
import LinuxSystem
import OriginTransfer
import TestSupport

/// Runs `openssl s_server -www` with a self-signed certificate for `localhost`.
///
/// The same certificate authenticates clients where the server requires that.
final class TLSOrigin {
    static var isAvailable: Bool { unsafe access("/usr/bin/openssl", X_OK) == 0 }

    let port: UInt16
    let certificate: String
    /// The certificate's key.
    let key: String
    private let folder: TemporaryFolder
    private var server: pid_t = 0

    /// - Parameter authenticatesClients: whether clients must show the certificate.
    init(authenticatesClients: Bool = false) throws {
        folder = try TemporaryFolder()
        certificate = folder.path + "/certificate.pem"
        key = folder.path + "/key.pem"
        // A scripted origin finds a free port.
        let finder = try ScriptedOrigin { _, _ in }
        port = finder.port
        finder.stop()
        let made = try Self.start(
            [
                "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate, "-days", "2",
                "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
            ]
        )
        var status: CInt = 0
        unsafe waitpid(made, &status, 0)
        server = try Self.start(
            ["s_server", "-accept", "127.0.0.1:\(port)", "-cert", certificate, "-key", key, "-www", "-quiet"]
                + (authenticatesClients ? ["-Verify", "1", "-verify_return_error", "-CAfile", certificate] : [])
        )
    }

    func stop() {
        kill(server, SIGKILL)
        var status: CInt = 0
        unsafe waitpid(server, &status, 0)
    }

    /// Sends requests until the server listens.
    func untilReady() async throws {
        let engine = try TransferEngine(configuration: TransferEngine.Configuration(certificates: certificate))
        let fetch = OriginFetch("https://localhost:\(port)/", .local())
        try await suspendWhile(await engine.failure(fetch) == .originUnreachable("the connection failed"))
    }

    private static func start(_ arguments: [String]) throws -> pid_t {
        var list: [UnsafeMutablePointer<CChar>?] = unsafe (["openssl"] + arguments).map { unsafe strdup($0) } + [nil]
        defer { unsafe list.forEach { unsafe free($0) } }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for number: CInt in 0...2 {
            unsafe posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
        }
        var process: pid_t = 0
        let code = unsafe posix_spawn(&process, "/usr/bin/openssl", &actions, nil, &list, environ)
        guard code == 0 else { throw Errno(code, "posix_spawn") }
        return process
    }
}
