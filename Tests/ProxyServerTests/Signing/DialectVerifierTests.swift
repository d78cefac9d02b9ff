import Dialects
import HTTPSemantics
import Testing

@testable import ProxyServer

/// Signatures and encrypted URLs of other servers.
///
/// Codes and ciphertexts come from Python's hmac and from openssl.
@Suite(.timeLimit(.minutes(1)))
struct DialectVerifierTests {
    private static let yaml = """
        dialects:
          imgproxy:
            keys: [943b421c9eb07c830af81030552c86009268de4e532ba2ee2eab8247c6da0881, "736563726574"]
            salts: [520f986b998545b4785e0defbc4f3c1203f22de2374a3d53cb7a7fe9fea309c5, "68656c6c6f"]
            url-keys: [1eb5b0e971ad7f45324c1bb15c947cb2, 1eb5b0e971ad7f45324c1bb15c947cb207c43152fa5c6c7f35c4f36e0c18e0f1]
          thumbor: { keys: [other, my-security-key] }
          imagor: { keys: mysecret }
        """

    private func verifier(_ extra: [String: String] = [:]) throws -> DialectVerifier {
        DialectVerifier(try load(Self.yaml, environment: extra).dialects, precedingKeys: 3)
    }

    private func stated(_ base64: String, _ message: String) throws -> Translation.Signature {
        let text = base64.replacing("-", with: "+").replacing("_", with: "/")
        let code = try #require(Base64Decoder.decode(text.filter { $0 != "=" }.utf8, .standard))
        return .stated(code: code, message: Array(message.utf8))
    }

    private static let imgproxy = "/rs:fill:300:400:0/g:sm/aHR0cDovL2V4YW1w/bGUuY29tL2ltYWdl/cy9jdXJpb3NpdHku/anBn.png"
    private static let image = "500x500/top/raw.githubusercontent.com/cshum/imagor/master/testdata/gopher.png"

    @Test func `verifies what other programs have signed`() throws {
        let verifier = try verifier()
        let code = "90UxdwGRAI2bpLSHKkZculJau5ahfxfS0h3fMuQAf40="
        #expect(verifier.verdict(on: try stated(code, Self.imgproxy), in: .imgproxy) == .valid(key: 1))
        let thumbor = "300x200/my.server.com/some/path/to/image.jpg"
        let safe = "8ammJH8D-7tXy6kU3lTvoXlhu4o="
        #expect(verifier.verdict(on: try stated(safe, thumbor), in: .thumbor) == .valid(key: 2))
        #expect(verifier.verdict(on: try stated(safe, thumbor), in: .imagor) == .wrong)
        #expect(
            verifier.verdict(on: try stated("cST4Ko5_FqwT3BDn-Wf4gO3RFSk=", Self.image), in: .imagor) == .valid(key: 1)
        )
        #expect(verifier.verdict(on: .none, in: .imagor) == .missing)
        let unknown = DialectVerifier()
        #expect(unknown.verdict(on: try stated(safe, thumbor), in: .thumbor) == .unverifiable)
    }

    @Test(arguments: [
        ("sha256", "40", "IGEn3TxngivD0jy4uuiZim2bdUCvhcnVi1Nm0xGy"),
        ("sha256", "0", "IGEn3TxngivD0jy4uuiZim2bdUCvhcnVi1Nm0xGyd9E="),
        ("sha512", "28", "pz0HppC3eVHj_KGn7jh3KvZEmC6g"),
    ])
    func `imagor's hash and length are settings`(hash: String, characters: String, code: String) throws {
        let settings = ["EDGEPRINT_DIALECTS_IMAGOR_HASH": hash, "EDGEPRINT_DIALECTS_IMAGOR_TRUNCATE": characters]
        let verifier = try verifier(settings)
        #expect(verifier.verdict(on: try stated(code, Self.image), in: .imagor) == .valid(key: 1))
        let shorter = String(code.prefix(16))
        #expect(verifier.verdict(on: try stated(shorter, Self.image), in: .imagor) == .wrong)
        #expect(verifier.verdict(on: .stated(code: [], message: []), in: .imagor) == .wrong)
    }

    @Test func `a short signature of imgproxy needs its setting`() throws {
        let short = try stated("90UxdwGRAI2bpLSH", Self.imgproxy)
        #expect(try verifier().verdict(on: short, in: .imgproxy) == .wrong)
        let setting = ["EDGEPRINT_DIALECTS_IMGPROXY_SIGNATURE_SIZE": "12"]
        #expect(try verifier(setting).verdict(on: short, in: .imgproxy) == .valid(key: 1))
        #expect(try verifier(setting).verdict(on: .stated(code: [0xF7], message: []), in: .imgproxy) == .wrong)
    }

    @Test func `keys are counted after those of Edgeprint`() throws {
        let verifier = try verifier()
        #expect(verifier.number(ofKey: 2, in: .imgproxy) == 5)
        #expect(verifier.number(ofKey: 1, in: .thumbor) == 6)
        #expect(verifier.number(ofKey: 1, in: .imagor) == 8)
    }

    @Test(arguments: [
        "b7e5e7321cc69cb81a9ce40a9d310fb95d4ea05638941cb023f4b16ee96f0f291bcc5b2342c6b9db32a297ce30a3a01c",
        "13e12c6a6fc209a33e9d43de16a713615841e8de51bf33521eba6f41143a4aba3a9ffe2a19ad2008cc3af267a2ed8ec8",
    ])
    func `decrypts what openssl has encrypted, with AES-128 and AES-256`(cipher: String) throws {
        let vector = (0..<16).map { UInt8($0) }
        let digits = Array(cipher)
        let sealed = stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(digits[$0...($0 + 1)]), radix: 16)
        }
        let verifier = try verifier()
        #expect(verifier.decrypted(vector + sealed) == "https://example.com/images/curiosity.jpg")
        #expect(verifier.decrypted(vector + sealed.dropLast()) == nil)
        #expect(verifier.decrypted(vector + sealed.dropLast(16)) == nil)
        #expect(verifier.decrypted(vector) == nil && verifier.decrypted([]) == nil && verifier.decrypted([1]) == nil)
        #expect(DialectVerifier().decrypted(vector + sealed) == nil)
    }
}
