import Foundation
import HTTPCache
import HTTPSemantics
import ImagePipeline
import ImagePlan
import LinuxSystem
import OriginTransfer
import TestSupport
import Testing

@testable import ProxyServer

/// The forms of a URL in requests of `/fetch`: plain, base64url, encrypted, and `data:`.
@Suite(.timeLimit(.minutes(1)))
struct RemoteURLTests {
    private static let first = String(repeating: "0a", count: 32)
    private static let second = String(repeating: "0b", count: 32)
    private static let url = "https://img.example.com/a b.png?x=1&y=é"
    private static let picture = "data:image/png;base64,Zm9v"

    private func resolver(_ remote: String = "allow: [img.example.com]", signing: String = "") throws -> RequestResolver
    {
        let yaml = """
            keys: { first: \(Self.first), second: \(Self.second) }
            remote: { \(remote) }
            signing: { \(signing) }
            """
        return try RequestResolver(try load(yaml), time: ManualTime())
    }

    private func target(
        _ resolver: RequestResolver,
        _ form: RequestBuilder.URLForm,
        _ subject: String = url
    ) throws -> String {
        var request = RequestBuilder.Request(subject: subject, parameters: [("w", "100")])
        request.form = form
        return try RequestBuilder(resolver).target(of: request)
    }

    private func key(_ resolver: RequestResolver, _ target: String) throws -> String {
        try resolver.resolve(Array(target.utf8)).variant(for: .rest).key.description
    }

    @Test func `all forms of a URL share one key`() throws {
        let resolver = try resolver("allow: [img.example.com], url-keys: [first, second]")
        let targets = try RequestBuilder.URLForm.allCases.map { try target(resolver, $0) }
        let names = targets.map { $0.dropFirst("/fetch?".count).prefix { $0 != "=" } }
        #expect(names == ["url", "url64", "enc"])
        #expect(Set(try targets.map { try key(resolver, $0) }).count == 1)
        #expect(!targets[2].contains("img.example.com"))
        #expect(try target(resolver, .encrypted) == targets[2])
    }

    @Test func `an older key still decrypts, an unknown one does not`() throws {
        let old = try target(resolver("allow: [\"*\"], url-keys: [first]"), .encrypted)
        let rotated = try resolver("allow: [\"*\"], url-keys: [second, first]")
        #expect(try key(rotated, old) == key(rotated, target(rotated, .plain)))
        #expect(try target(rotated, .encrypted) != old)
        let problem = #expect(throws: Problem.self) {
            try resolver("allow: [\"*\"], url-keys: [second]").resolve(Array(old.utf8))
        }
        #expect(problem?.status == 400 && problem?.parameter == "enc")
        #expect(problem?.detail.contains("img.example.com") == false)
    }

    @Test(arguments: [
        ("enc=AAAA", "enc", "remote.url-keys"), ("url64=%21", "url64", "base64url"),
        ("url64=Zm9v", "url64", "absolute"), ("url64=_w", "url64", "does not contain a URL"),
        ("url64=aHR0cDovL2EvCg", "url64", "does not contain a URL"),
        ("url=http://a/&url64=Zm9v", "url64", "cannot be combined with url"), ("w=1", "url", "missing"),
    ])
    func `refuses what is no URL, and names the parameter`(query: String, name: String, words: String) throws {
        let resolver = try resolver("allow: [\"*\"]")
        let problem = #expect(throws: Problem.self) { try resolver.resolve(Array("/fetch?\(query)".utf8)) }
        #expect(problem?.status == 400 && problem?.parameter == name)
        #expect(problem?.detail.contains(words) == true, "\(problem?.detail ?? "")")
    }

    @Test func `the form does not change who may ask`() throws {
        let keys = "keys: [\(Self.first)]"
        let strict = try resolver("url-keys: [first]", signing: keys)
        for form in RequestBuilder.URLForm.allCases {
            let signed = try target(strict, form)
            #expect(try key(strict, signed).isEmpty == false)
            let unsigned = String(signed.prefix(upTo: try #require(signed.range(of: "&sig=")).lowerBound))
            let problem = #expect(throws: Problem.self) { try strict.resolve(Array(unsigned.utf8)) }
            #expect(problem?.status == 403, "\(unsigned)")
        }
        #expect(throws: Problem.self) {
            try resolver("url-keys: [first]").resolve(Array("/photos/a.png?url64=Zm9v".utf8))
        }
    }

    @Test func `a data URL needs a signature unless remote.data says otherwise`() throws {
        let signing = "keys: [\(Self.first)]"
        let resolver = try resolver("allow: [\"*\"]", signing: signing)
        let signed = try target(resolver, .plain, Self.picture)
        #expect(signed.hasPrefix("/fetch?url=data:image%2Fpng%3Bbase64,Zm9v&w=100&sig="), "\(signed)")
        let resolved = try resolver.resolve(Array(signed.utf8))
        guard case .data(let data) = resolved.anyVariant.origin.target else { throw TransferError.notFound }
        #expect(data.mediaType == "image/png" && data.bytes == Array("foo".utf8))
        let plain = Array("/fetch?url=\(Self.picture)&w=100".utf8)
        let missing = #expect(throws: Problem.self) { try resolver.resolve(plain) }
        #expect(missing?.status == 403 && missing?.detail.contains("remote.data") == true)
        #expect(try self.resolver("data: any").resolve(plain).anyVariant.key == resolved.anyVariant.key)
        let off = #expect(throws: Problem.self) {
            try self.resolver("data: off", signing: signing).resolve(Array(signed.utf8))
        }
        #expect(off?.status == 403 && off?.parameter == "url")
        let broken = #expect(throws: Problem.self) {
            try self.resolver("data: any").resolve(Array("/fetch?url=data:image/png;base64,%21&w=1".utf8))
        }
        #expect(broken?.status == 400 && broken?.detail.contains("Base64") == true)
    }

    @Test func `equal content in other spellings of a data URL is one original`() throws {
        let resolver = try resolver("data: any")
        let spellings = [Self.picture, "data:image/png,foo", "DATA:image/gif;base64,Zm%39v", "data:,%66oo"]
        let keys = try spellings.map { spelling in
            try key(resolver, "/fetch?w=5&url=" + PercentCoding.encodedValue(spelling))
        }
        #expect(Set(keys).count == 1)
    }

    @Test func `a raw /fetch reads all forms, and refuses data URLs`() throws {
        let raw = try resolver("raw: true, allow: [img.example.com], url-keys: [first]")
        var request = RequestBuilder.Request(subject: Self.url)
        for form in RequestBuilder.URLForm.allCases {
            request.form = form
            let target = try RequestBuilder(raw).target(of: request)
            #expect(try raw.rawOrigin(of: Array(target.utf8))?.target.url?.hostText == "img.example.com")
        }
        #expect(throws: Problem.self) { try raw.rawOrigin(of: Array("/fetch?url=data:,x".utf8)) }
    }

    @Test func `a missing key is an error at start`() {
        let found = problems("remote: { url-keys: [fisrt] }\nkeys: { first: \(Self.first) }")
        #expect(found.count == 1 && found[0].contains("remote.url-keys") && found[0].contains("did you mean first?"))
        let short = problems("keys: { a: abcd }")
        #expect(short.count == 1 && short[0].contains("keys.a") && !short[0].contains("abcd"), "\(short)")
    }
}
