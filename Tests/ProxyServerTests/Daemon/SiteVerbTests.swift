import Glibc
import LinuxSystem
import TestSupport
import Testing

@testable import ProxyServer

/// The verbs of the admin listener, and rules, with several sites.
@Suite(.timeLimit(.minutes(1)))
struct SiteVerbTests {
    private func isCached(_ rig: SiteRig, _ path: String, _ more: String = "") throws -> Bool {
        let response = try rig.admin("/has?path=\(path)\(more)")
        #expect(response.status == 200)
        return JSONValue(parsing: response.text)?["cached"] == .bool(true)
    }

    private func send(_ rig: SiteRig, _ method: String, _ target: String, _ content: [UInt8]) throws -> RawHTTPResponse
    {
        let client = try RawHTTPClient(port: rig.daemon.admin, timeoutMilliseconds: 20_000)
        let head =
            "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer root-token\r\n"
            + "Content-Length: \(content.count)\r\n\r\n"
        try client.send(Array(head.utf8) + content)
        return try client.readResponse()
    }

    @Test func `has and entry look at the named site, or that of the path's prefix`() throws {
        let rig = try SiteRig()
        #expect(try rig.ask("/same/a.png", host: "shop.example").status == 200)
        #expect(try isCached(rig, "/same/a.png", "&site=shop"))
        #expect(try !isCached(rig, "/same/a.png"))
        #expect(try !isCached(rig, "/same/a.png", "&site=default"))
        #expect(try !isCached(rig, "/blog/same/a.png"))
        #expect(try rig.ask("/blog/same/a.png", host: "img.example").status == 200)
        #expect(try isCached(rig, "/blog/same/a.png"))
        #expect(try isCached(rig, "/same/a.png", "&site=blog"))
        #expect(try rig.admin("/entry?path=/same/a.png&site=shop").status == 200)
        #expect(try rig.admin("/entry?path=/same/a.png").status == 404)
        let unknown = try rig.admin("/has?path=/same/a.png&site=shp")
        #expect(unknown.status == 404 && unknown.text.contains("did you mean shop?"))
        #expect(rig.origin.requests == 2)
    }

    @Test(arguments: [
        "/has?path=/same/a.png&site=shop", "/entry?path=/same/a.png", "/key?url=/same/a.png", "/inflight",
    ])
    func `the token of a site does not permit other verbs`(target: String) throws {
        let rig = try SiteRig()
        #expect(try rig.admin(target, token: "shop-token").status == 403)
    }

    @Test func `an original that is put belongs to the named site`() throws {
        let rig = try SiteRig()
        let picture = TestImages.gradient(width: 24, height: 12)
        #expect(try send(rig, "PUT", "/original?path=/photos/new.png&site=shop", picture).status == 201)
        #expect(try rig.size("/photos/new.png", host: "shop.example") == [24, 12])
        #expect(try rig.ask("/photos/new.png", host: "img.example").status == 404)
        #expect(try send(rig, "PUT", "/original?path=/blog/photos/new.png", picture).status == 201)
        #expect(try rig.size("/blog/photos/new.png", host: "img.example") == [24, 12])
    }

    @Test func `warming fills the named site, or those of the paths' prefixes`() throws {
        let rig = try SiteRig()
        for (number, body) in [
            #"{"urls":["/photos/a.png?w=20&format=png"],"site":"shop"}"#,
            #"{"urls":["/blog/photos/a.png?w=20&format=png"]}"#,
        ].enumerated() {
            #expect(try send(rig, "POST", "/warm", Array(body.utf8)).status == 202)
            let report = try waitFor {
                let report = JSONValue(parsing: try rig.admin("/warm/\(number + 1)").text)
                return report?["state"] == .string("running") ? nil : report
            }
            #expect(report["done"] == .number(1), "\(report)")
        }
        let requests = rig.origin.requests
        #expect(try rig.size("/photos/a.png?w=20&format=png", host: "shop.example") == [20, 10])
        #expect(try rig.size("/blog/photos/a.png?w=20&format=png", host: "img.example") == [20, 8])
        #expect(rig.origin.requests == requests)
        #expect(try rig.status("/photos/a.png?w=20&format=png", host: "img.example")?.contains("fwd=") == true)
        let wrong = try send(rig, "POST", "/warm", Array(#"{"urls":["/photos/a.png"],"site":"none"}"#.utf8))
        #expect(wrong.status == 404)
    }

    @Test func `a key is that of the named site's request`() throws {
        let rig = try SiteRig()
        let keys = try ["", "&site=default", "&site=shop", "&site=blog"].map {
            try rig.admin("/key?url=/same/a.png\($0)").text
        }
        #expect(keys[0] == keys[1] && Set(keys).count == 3)
        #expect(try rig.admin("/key?url=/blog/same/a.png").text == keys[3])
    }

    @Test func `rules apply to the sources of all sites by their name in the site`() throws {
        let rules = """
            rules:
              - match: { source: photos }
                set: { response-headers: { X-Rule: photos } }
            """
        let rig = try SiteRig(extra: rules)
        for (path, host) in [("", "img.example"), ("", "shop.example"), ("/blog", "img.example")] {
            #expect(try rig.ask("\(path)/photos/a.png", host: host)["X-Rule"] == "photos")
            #expect(try rig.ask("\(path)/same/a.png", host: host)["X-Rule"] == nil)
        }
    }

    @Test func `a rule may name a source that only a site has`() throws {
        let rules = "rules: [{ match: { source: extra }, set: { response-headers: { X-Rule: extra } } }]"
        let rig = try SiteRig()
        let yaml = SiteRig.yaml(rig.origin.url, rig.folder.path, extra: rules)
        let site = "sources: { extra: { url: \"\(rig.origin.url)/shop/\", allow-private: true }, "
        try rig.daemon.rewrite(yaml.replacing("token: shop-token, sources: { ", with: "token: shop-token, \(site)"))
        rig.daemon.signal(SIGHUP)
        try rig.daemon.waitForLog("configuration reloaded")
        #expect(try rig.ask("/extra/a.png", host: "shop.example")["X-Rule"] == "extra")
    }

    @Test func `plain images need a signature where their site requires one`() throws {
        let rig = try SiteRig(
            shop: ", signing: { required: true, keys: [\(String(repeating: "ab", count: 32))] }"
        )
        #expect(try rig.ask("/placeholder/8x8/ff0000.png", host: "img.example").status == 200)
        #expect(try rig.ask("/placeholder/8x8/ff0000.png", host: "shop.example").status == 403)
    }
}
