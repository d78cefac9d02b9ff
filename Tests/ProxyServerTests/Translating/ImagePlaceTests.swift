import Dialects
import ImagePlan
import LinuxSystem
import TestSupport
import Testing

@testable import ProxyServer

/// Where the images of other servers' requests are here.
@Suite(.timeLimit(.minutes(1)))
struct ImagePlaceTests {
    private static let yaml = """
        sources:
          all: { url: "https://x.example/" }
          photos: { url: "https://x.example/a/", forward-query: [v] }
          twin: { url: "https://x.example/a/" }
          old: { dialect: imgproxy, dialect-source: photos }
          files: { url: "file:///srv/images/" }
          objects: { url: "s3://bucket/pre/", region: eu-central-1 }
          raw: { url: "https://x.example/a/b/", raw: true }
        dialects:
          imgproxy:
            keys: [00]
            salts: [00]
            url-keys: [1eb5b0e971ad7f45324c1bb15c947cb207c43152fa5c6c7f35c4f36e0c18e0f1]
        """

    private func place(_ image: Translation.Image, base: String? = "photos") throws -> String {
        let place = try ImagePlace(of: image, base: base, in: SourceTable(load(Self.yaml)))
        return ([place.path] + place.pairs).joined(separator: " ")
    }

    @Test(arguments: [
        ("https://x.example/a/cat.jpg", "/photos/cat.jpg"), ("HTTPS://X.example:443/a/%63at.jpg", "/photos/cat.jpg"),
        ("https://x.example/b/cat.jpg", "/all/b/cat.jpg"), ("https://x.example/a/../b/cat.jpg", "/all/b/cat.jpg"),
        ("https://x.example/a/b/c d.jpg", "/photos/b/c%20d.jpg"),
        ("https://x.example/a/x%2Fy.jpg", "/photos/x%2Fy.jpg"),
        ("https://x.example/a/cat.jpg?v=3", "/photos/cat.jpg v=3"),
        ("http://x.example/a/cat.jpg", "/photos/cat.jpg"),
        ("http://x.example:81/a/cat.jpg", "/fetch url=http:%2F%2Fx.example:81%2Fa%2Fcat.jpg"),
        ("https://y.example/a.jpg?w=3", "/fetch url=https:%2F%2Fy.example%2Fa.jpg%3Fw%3D3"),
        ("s3://bucket/pre/a b.jpg", "/objects/a%20b.jpg"), ("file:///srv/images/a%b.jpg", "/files/a%25b.jpg"),
        ("data:image/gif;base64,R0", "/fetch url=data:image%2Fgif%3Bbase64,R0"),
    ])
    func `a URL belongs to the source that it begins with, else to fetch`(url: String, place: String) throws {
        #expect(try self.place(.url(url)) == place)
    }

    @Test func `of equal sources the one of the request is chosen`() throws {
        #expect(try place(.url("https://x.example/a/1.jpg"), base: "twin") == "/twin/1.jpg")
    }

    @Test func `a path belongs to the base`() throws {
        #expect(try place(.path("a/b%20c.jpg")) == "/photos/a/b%20c.jpg")
        #expect(try place(.path("/a.jpg?w=1#x")) == "/photos/a.jpg%3Fw=1%23x")
        #expect(try place(.path("a.jpg", query: "v=2&x")) == "/photos/a.jpg v=2 x")
        #expect(throws: RequestError.self) { try place(.path("a.jpg", query: "v=2&w=3")) }
        let error = #expect(throws: RequestError.self) { try place(.path("a.jpg"), base: nil) }
        #expect(error?.reason.contains("dialect-source") == true)
    }

    @Test(arguments: [
        ("https://x.example/a/cat.jpg?w=3", "w= in its URL"), ("gs://bucket/a.jpg", "scheme gs"),
        ("s3://other/a.jpg", "s3:// url"), ("file:///etc/passwd", "file:// url"),
        ("https://x.example:99999/a.jpg", ""),
    ])
    func `names what no source has`(url: String, reason: String) {
        let error = #expect(throws: RequestError.self) { try place(.url(url)) }
        #expect(
            error?.parameter == "path" && error?.status == .malformed && error?.reason.contains(reason) == true,
            "\(error as Any)"
        )
    }

    @Test func `an encrypted URL is decrypted first`() throws {
        let vector = (0..<16).map { UInt8($0) }
        func bytes(_ hexadecimal: String) -> [UInt8] {
            let digits = Array(hexadecimal)
            return stride(from: 0, to: digits.count, by: 2).compactMap {
                UInt8(String(digits[$0...($0 + 1)]), radix: 16)
            }
        }
        let sealed = bytes(
            "b7e5e7321cc69cb81a9ce40a9d310fb95d4ea05638941cb023f4b16ee96f0f291bcc5b2342c6b9db32a297ce30a3a01c"
        )
        #expect(try place(.encrypted(vector + sealed)) == "/fetch url=https:%2F%2Fexample.com%2Fimages%2Fcuriosity.jpg")
        // `local:///d/1.jpg`, encrypted by OpenSSL, is the path that it is unencrypted.
        #expect(
            try place(.encrypted(vector + bytes("e6449e44731ce5f090c6a1cb4e02dcf99ba1a8770de0e8a04063a8d99ba2933b")))
                == "/photos/d/1.jpg"
        )
        let error = #expect(throws: RequestError.self) { try place(.encrypted([1, 2, 3])) }
        #expect(error?.reason.contains("dialects.imgproxy.url-keys") == true)
        let none = #expect(throws: RequestError.self) {
            try ImagePlace(of: .encrypted(vector + sealed), base: nil, in: SourceTable(load("sources: {}")))
        }
        #expect(none?.reason.contains("there is no key") == true)
    }
}
