import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct SitePurgeTests {
    private static let places = [
        ("default", "/photos/a.png", "img.example"), ("shop", "/photos/a.png", "shop.example"),
        ("blog", "/blog/photos/a.png", "img.example"),
    ]

    /// A rig with a picture of each site in the cache.
    private func rig(shop: String = "", extra: String = "") throws -> SiteRig {
        let rig = try SiteRig(shop: shop, extra: extra)
        for (_, target, host) in Self.places { #expect(try rig.ask(target, host: host).status == 200) }
        for (name, _, _) in Self.places { try rig.waitUntil("edgeprint_site_originals{site=\"\(name)\"}", is: 1) }
        return rig
    }

    /// The sites whose picture is not in the cache.
    private func missing(_ rig: SiteRig) throws -> [String] {
        try Self.places.filter { try rig.status($0.1, host: $0.2) == "edgeprint; fwd=uri-miss" }.map(\.0)
    }

    @Test(arguments: [
        #"{"all":true}"#, #"{"tag":"red"}"#, #"{"source":"photos"}"#, #"{"url":"/photos/a.png"}"#,
        #"{"prefix":"/photos/"}"#,
        #"{"all":true,"site":"shop"}"#,
    ])
    func `the token of a site purges that site alone`(body: String) throws {
        let rig = try rig()
        let answer = try rig.purge(body, token: "shop-token")
        #expect(answer.status == 200 && answer.text.contains("\"originals\":1"), "\(answer.text)")
        #expect(try missing(rig) == ["shop"])
    }

    @Test func `the token of a site permits nothing else`() throws {
        let rig = try rig()
        #expect(try rig.purge(#"{"all":true,"site":"blog"}"#, token: "shop-token").status == 403)
        #expect(try rig.purge(#"{"all":true,"site":"default"}"#, token: "shop-token").status == 403)
        #expect(try rig.purge(#"{"all":true}"#, token: "other").status == 401)
        for path in ["/stats", "/metrics", "/explain?path=/", "/negative", "/nothing"] {
            #expect(try rig.admin(path, token: "shop-token").status == 403)
        }
        #expect(try missing(rig) == [])
    }

    @Test func `an operator purges any site, and all of them`() throws {
        let rig = try rig()
        #expect(try rig.purge(#"{"all":true,"site":"blog"}"#, token: "root-token").text.contains("\"originals\":1"))
        #expect(try missing(rig) == ["blog"])
        #expect(try rig.purge(#"{"source":"photos","site":"default"}"#, token: "root-token").status == 200)
        #expect(try missing(rig) == ["default"])
        #expect(try rig.purge(#"{"url":"/blog/photos/a.png"}"#, token: "root-token").text.contains("\"originals\":1"))
        #expect(try missing(rig) == ["blog"])
        #expect(try rig.purge(#"{"tag":"red"}"#, token: "root-token").status == 200)
        #expect(try missing(rig) == ["default", "shop", "blog"])
        #expect(try rig.purge(#"{"all":true}"#, token: "root-token").status == 200)
        #expect(try missing(rig) == ["default", "shop", "blog"])
        let unknown = try rig.purge(#"{"all":true,"site":"shp"}"#, token: "root-token")
        #expect(unknown.status == 404 && unknown.text.contains("did you mean shop?"), "\(unknown.text)")
    }

    @Test func `PURGE on a site's host or prefix purges that site`() throws {
        let rig = try rig()
        func purge(_ target: String, _ host: String, _ token: String, _ fields: [String] = []) throws -> Int {
            try rig.ask("PURGE", target, host: host, token: token, fields).status
        }
        #expect(try purge("/photos/a.png", "shop.example", "blog-token") == 403)
        #expect(try purge("/", "shop.example", "blog-token", ["xkey-purge: red"]) == 403)
        #expect(try missing(rig) == [])
        #expect(try purge("/", "shop.example", "shop-token", ["xkey-purge: red"]) == 200)
        #expect(try missing(rig) == ["shop"])
        #expect(try purge("/blog/photos/a.png", "img.example", "blog-token") == 200)
        #expect(try missing(rig) == ["blog"])
        #expect(try purge("/blog/", "img.example", "blog-token", ["xkey-purge: red"]) == 200)
        #expect(try missing(rig) == ["blog"])
        #expect(try purge("/", "img.example", "root-token", ["xkey-purge: red"]) == 200)
        #expect(try missing(rig) == ["default"])
    }

    @Test func `clients that may purge one site may not purge another`() throws {
        let rig = try rig(shop: ", purge: { allow: [127.0.0.1] }")
        #expect(try rig.ask("PURGE", "/photos/a.png", host: "img.example").status == 403)
        #expect(try rig.ask("PURGE", "/blog/photos/a.png", host: "img.example").status == 403)
        #expect(try rig.ask("PURGE", "/photos/a.png", host: "shop.example").status == 200)
        #expect(try missing(rig) == ["shop"])
    }
}
