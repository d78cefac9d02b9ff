import ImagePipeline
import OriginTransfer
import Testing

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct DecryptionReaderTests {
    private static let key = String(repeating: "a1", count: 32)

    @Test func `reads decrypt with its key from a variable, and prints it redacted`() throws {
        let configuration = try load(
            """
            keys: { vault: "${VAULT}" }
            sources:
              a: { url: "https://a.example/", decrypt: aes-256-cbc, decrypt-key: vault }
              b: { url: "https://b.example/", decrypt: base64 }
              c: { url: "https://c.example/", decrypt: none }
            """,
            environment: ["VAULT": Self.key]
        )
        let decryptions = configuration.sources.map(\.rule.decryption)
        #expect(decryptions.map { $0?.method } == [.aes256CBC, .base64, nil])
        #expect(decryptions[0]?.keyName == "vault")
        let text = configuration.yaml
        #expect(text.contains("decrypt: aes-256-cbc") && text.contains("decrypt-key: \"vault\""), "\(text)")
        #expect(text.contains("vault: \"[redacted]\"") && !text.contains("a1a1"))
    }

    @Test(arguments: [
        ("decrypt: aes-256-gcm", "sources.a.decrypt: requires decrypt-key"),
        ("decrypt: aes-256-gcm, decrypt-key: vualt", "there is no key 'vualt' (keys); did you mean vault?"),
        ("decrypt-key: vault", "has no effect without decrypt"),
        ("decrypt: base64, decrypt-key: vault", "has no effect without decrypt"),
        ("decrypt: rot13", "expected one of none, base64, aes-256-gcm, aes-256-cbc"),
        ("raw: true, decrypt: base64", "has no effect with raw: true"),
    ])
    func `names contradictions`(settings: String, message: String) {
        let found = problems(
            "keys: { vault: \(Self.key) }\nsources: { a: { url: \"https://a.example/\", \(settings) } }"
        )
        #expect(found.count == 1 && found[0].contains(message), "\(found)")
    }
}
