import Testing

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct RequestSignerTests {
    /// Sixteen times "A", as the key of RFC 4231 §4.3 is too short.
    private let key = String(repeating: "41", count: 16)
    private let other = String(repeating: "42", count: 16)

    private func signer(_ keys: String...) -> RequestSigner {
        RequestSigner(keys: keys.compactMap { SigningKey(hexadecimal: $0) })
    }

    @Test func `computes HMAC-SHA256`() {
        // printf '/photos/a.jpg?w=300' | openssl dgst -sha256 -mac HMAC -macopt hexkey:4141… -binary | basenc --base64url
        let signature = signer(key).signature(path: "/photos/a.jpg".utf8, query: "w=300".utf8)
        #expect(signature == "I2Zap-X-ht62VB4rG9h3XHPol-vTfwyF9lLeiLqrNrs")
        #expect(
            signer(key).signature(path: "/photos/a.jpg".utf8, query: "".utf8)
                == "KS5CLXPIORkTDbTqBcboijiMa_9wY94EBD0vlcle414"
        )
    }

    @Test func `signs the method before the path, except for GET and HEAD`() throws {
        // printf 'DELETE /photos/a.jpg?w=300' | openssl dgst -sha256 -mac HMAC -macopt hexkey:4141… -binary | basenc --base64url
        func signature(_ method: String) -> String? {
            signer(key).signature(path: "/photos/a.jpg".utf8, query: "w=300".utf8, method: method)
        }
        #expect(signature("DELETE") == "YX83Ko4bEJOQgErDMzqMc_8Up1D9qTF1xnT_AXplBE8")
        let link = try #require(signature("GET"))
        #expect(link == "I2Zap-X-ht62VB4rG9h3XHPol-vTfwyF9lLeiLqrNrs" && link == signature("HEAD"))
        for (method, verdict) in [("GET", SignatureVerdict.valid(key: 1)), ("DELETE", .wrong), ("get", .wrong)] {
            let found = signer(key).verdict(on: link, path: "/photos/a.jpg".utf8, query: "w=300".utf8, method: method)
            #expect(found == verdict, "\(method)")
        }
    }

    @Test func `signs with the first key and verifies with all`() throws {
        let path = Array("/a/b".utf8)
        let query = Array("w=1".utf8)
        let old = try #require(signer(other).signature(path: path, query: query))
        let new = try #require(signer(key, other).signature(path: path, query: query))
        #expect(signer(key, other).verdict(on: old, path: path, query: query) == .valid(key: 2))
        #expect(signer(key, other).verdict(on: new, path: path, query: query) == .valid(key: 1))
        #expect(signer(key).verdict(on: old, path: path, query: query) == .wrong)
        #expect(signer().verdict(on: old, path: path, query: query) == .unverifiable)
        #expect(signer().signature(path: path, query: query) == nil)
    }

    @Test func `refuses every other spelling of a signature`() throws {
        let signature = try #require(signer(key).signature(path: "/a".utf8, query: "".utf8))
        for wrong in [
            "", "x", signature + "=", signature + "A", String(signature.dropLast()), signature.lowercased(),
            " " + signature,
            String(repeating: "A", count: 43), signature + "\u{0}", "é" + signature.dropFirst(2),
        ] {
            #expect(signer(key).verdict(on: wrong, path: "/a".utf8, query: "".utf8) == .wrong, "\(wrong)")
        }
    }

    @Test func `distinguishes path and query`() {
        let signature = signer(key).signature(path: "/a".utf8, query: "b?c".utf8)
        #expect(signature != signer(key).signature(path: "/a?b".utf8, query: "d".utf8))
        #expect(signature != signer(key).signature(path: "/a".utf8, query: "b&c".utf8))
    }
}
