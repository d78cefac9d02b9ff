import Foundation
import HTTPCache
import HTTPKit
import ImagePlan
import TestSupport
import Testing

@testable import ImagePipeline
@testable import ProxyServer

/// `answers.accel-redirect`: its setting, and the fields that nginx has to restore.
@Suite(.timeLimit(.minutes(1)))
struct AccelRedirectTests {
    @Test(arguments: ["/a/", "/edgeprint-cache/", "/a/b_c.d/"])
    func `takes paths with a slash at both ends`(prefix: String) {
        #expect(AccelRedirect.prefix(prefix) == .some(prefix))
    }

    @Test(arguments: [
        "", "/", "//", "a/", "/a", "/a//b/", "/../", "/a/./", "/a b/", "/a%2Fb/", "/a?b/", "/ä/", "@a/", "http://a/",
        "/\(String(repeating: "a", count: 200))/",
    ])
    func `refuses what nginx would decode, normalize or not find`(prefix: String) {
        #expect(AccelRedirect.prefix(prefix) == nil)
    }

    @Test(arguments: [
        ("127.0.0.1", true), ("127.255.255.255", true), ("::1", true), ("::ffff:127.0.0.1", true), ("128.0.0.1", false),
        ("126.255.255.255", false), ("10.0.0.1", false), ("::2", false), ("::7f00:1", false), ("fe80::1", false),
    ])
    func `an address is local if it is a loopback address`(address: String, isLocal: Bool) throws {
        #expect(try #require(PeerAddress(address, port: 1)).isLocal == isLocal)
        #expect(PeerAddress.unix.isLocal)
    }

    @Test func `off is no prefix, and leaves content files with a trailer`() {
        #expect(AccelRedirect.prefix("off") == .some(nil))
        #expect(AccelRedirect().bareFrom == nil && AccelRedirect(prefix: "/a/").bareFrom == 65_536)
    }

    @Test func `renames what nginx keeps of a redirect, and leaves all else as it is`() {
        let fields =
            "Content-Type: image/png\r\nAccept-Ranges: bytes\r\nETag: \"1\"\r\nCache-Control: no-cache\r\n"
            + "Content-Disposition: inline; filename=\"Cache-Control: \"\r\nVary: Accept\r\nAge: 7\r\n"
        let expected =
            "Content-Type: image/png\r\nETag: \"1\"\r\nEdgeprint-Cache-Control: no-cache\r\n"
            + "Edgeprint-Content-Disposition: inline; filename=\"Cache-Control: \"\r\nEdgeprint-Vary: Accept\r\nAge: 7\r\n"
        #expect(String(decoding: AccelRedirect.unkept(Array(fields.utf8)), as: UTF8.self) == expected)
        #expect(AccelRedirect.unkept([]).isEmpty)
    }

    @Test func `deploy/nginx.conf restores every field of an image`() throws {
        var description = EntityDescription(
            mediaType: "image/svg+xml",
            digest: CacheKey(hashing: "a"),
            length: 1,
            advertisedLifetime: 1
        )
        description.lastModified = "Sun, 06 Nov 1994 08:49:37 GMT"
        description.contentCoding = "gzip"
        let placeholder = try #require(
            Placeholder(text: Array("LEHV6nWB2yk8pyo0adR*.7kCMdnj\n3OcRJYB4d3h/iIeHeEh3eIhw+j2w\n010203".utf8))
        )
        description.hints = OriginalHints(size: PixelSize(width: 1, height: 1), placeholder: placeholder)
        description.passReason = .unsupported
        description.credentials = .stripped
        var dynamic = VaryFields(rawValue: .max).bytes + CrossOrigin.any.fields + CacheStatusFields.memory
        dynamic += ContentDisposition.field(filename: "a", download: true)
        var block = FieldBlock()
        for name in ["Age", "Server-Timing", "X-Animation", "X-Quality"] { block.append(name, "1") }
        let fields =
            AccelRedirect.unkept(EntityPresentation.fields(description)) + AccelRedirect.unkept(dynamic) + block.bytes
        let names = String(decoding: fields, as: UTF8.self).split(separator: "\r\n").map { $0.prefix { $0 != ":" } }
        #expect(names.count >= 24)
        let site = try String(contentsOfFile: Checkout.path("deploy/nginx.conf"), encoding: .utf8)
        for name in names where name != "Content-Type" {
            let variable = "$upstream_http_" + name.lowercased().replacing("-", with: "_")
            let own = name.hasPrefix("Edgeprint-") ? name.dropFirst("Edgeprint-".count) : name
            #expect(site.contains("add_header \(own) \(variable);\n"), "\(name)")
        }
    }
}
