import ImagePipeline
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
