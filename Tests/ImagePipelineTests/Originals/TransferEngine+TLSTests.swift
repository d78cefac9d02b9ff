import Glibc
import ImagePipeline
import LinuxSystem
import OriginTransfer
import TestSupport
import Testing

/// Uses a TLS server of the `openssl` command; skipped without it.
@Suite(.timeLimit(.minutes(1)), .enabled(if: TLSOrigin.isAvailable))
struct TransferTLSTests {
    @Test func `verifies certificates and names`() async throws {
        let origin = try TLSOrigin()
        defer { origin.stop() }
        func fetch(_ host: String) -> OriginFetch {
            OriginFetch("https://\(host):\(origin.port)/", .local())
        }
        let trusting = try TransferEngine(configuration: TransferEngine.Configuration(certificates: origin.certificate))
        try await origin.untilReady()
        #expect(await trusting.failure(fetch("localhost")) == nil)
        let untrusted = PipelineError.originUnreachable("the certificate is not trusted")
        #expect(await trusting.failure(fetch("127.0.0.1")) == untrusted)
        #expect(try await TransferEngine().failure(fetch("localhost")) == untrusted)
    }
}

/// Runs `openssl s_server -www` with a self-signed certificate for `localhost`.
private final class TLSOrigin {
    static var isAvailable: Bool { unsafe access("/usr/bin/openssl", X_OK) == 0 }

    let port: UInt16
    let certificate: String
    private let folder: TemporaryFolder
    private var server: pid_t = 0

    init() throws {
        folder = try TemporaryFolder()
        certificate = folder.path + "/certificate.pem"
        let key = folder.path + "/key.pem"
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
        while await engine.failure(fetch) == .originUnreachable("the connection failed") { await Task.yield() }
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
