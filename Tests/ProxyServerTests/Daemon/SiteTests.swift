import Glibc
import LinuxSystem
import TestSupport
import Testing

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct SiteTests {
    @Test func `the same path on three sites is three origins' picture`() throws {
        let rig = try SiteRig()
        for _ in 1...2 {
            #expect(try rig.size("/photos/a.png", host: "img.example") == [40, 30])
            #expect(try rig.size("/photos/a.png", host: "shop.example") == [60, 30])
            #expect(try rig.size("/blog/photos/a.png", host: "img.example") == [80, 30])
        }
        #expect(try rig.size("/photos/a.png?w=30&format=png", host: "shop.example:8080") == [30, 15])
        #expect(try rig.size("http://shop.example/photos/a.png?w=20&format=png", host: "img.example") == [20, 10])
        #expect(try rig.ask("/blog/photos/a.png", host: "shop.example").status == 404)
    }

    @Test func `a site sees nothing that another one has fetched from the same URL, failures included`() throws {
        let rig = try SiteRig()
        let places = [
            ("/same/a.png", "img.example"), ("/same/a.png", "shop.example"), ("/blog/same/a.png", "img.example"),
        ]
        for query in ["", "?w=20&format=png"] {
            for (target, host) in places {
                let status = try rig.status(target + query, host: host)
                #expect(status == (query.isEmpty ? "edgeprint; fwd=uri-miss" : "edgeprint; hit; detail=original"))
            }
            for (target, host) in places {
                #expect(try rig.status(target + query, host: host) == "edgeprint; hit; detail=memory")
            }
        }
        #expect(rig.origin.requests == 3)
        for (number, (target, host)) in places.enumerated() {
            let missing = target.replacing("a.png", with: "b.png")
            #expect(try rig.ask(missing, host: host).status == 404)
            #expect(try rig.status(missing, host: host)?.contains("detail=negative") == true)
            #expect(rig.origin.requests == 4 + number)
        }
    }

    @Test(arguments: [
        ("GET", "/photos/a.png"), ("HEAD", "/photos/a.png"), ("GET", "/"), ("OPTIONS", "/photos/a.png"),
        ("PURGE", "/photos/a.png"),
        ("GET", "/files/a.txt"), ("POST", "/files/a.txt"), ("GET", "/blog/photos/a.png"),
    ])
    func `a host without a site is 421`(method: String, target: String) throws {
        let rig = try SiteRig()
        let answer = try rig.ask(method, target, host: "other.example", token: "root-token")
        #expect(answer.status == 421 && answer["Content-Type"] == "application/problem+json")
        if method != "HEAD" { #expect(answer.text.contains("\"title\":\"Misdirected Request\"")) }
        #expect(rig.origin.requests == 0)
    }

    @Test func `a request without a host is 421`() throws {
        let rig = try SiteRig()
        let client = try RawHTTPClient(port: rig.daemon.port)
        try client.send("GET /photos/a.png HTTP/1.0\r\n\r\n")
        #expect(try client.readResponse().status == 421)
    }

    @Test func `no-cache needs the token of the site or of the operator`() throws {
        let rig = try SiteRig()
        func ask(_ token: String?) throws -> Int {
            _ = try rig.ask("/photos/a.png", host: "shop.example", token: token, ["Cache-Control: no-cache"])
            return rig.origin.requests
        }
        #expect(try ask(nil) == 1)
        #expect(try ask("blog-token") == 1)
        #expect(try ask("shop-token") == 2)
        #expect(try ask("root-token") == 3)
    }

    @Test func `a signature of one site is refused by the others`() throws {
        let (shop, blog) = (String(repeating: "a1", count: 16), String(repeating: "b2", count: 16))
        let keys = { (key: String) in ", signing: { keys: [\(key)], required: true }" }
        let rig = try SiteRig(shop: keys(shop), blog: keys(blog))
        let yaml = SiteRig.yaml(rig.origin.url, rig.folder.path, shop: keys(shop), blog: keys(blog))
        let sites = try SiteTable(try load(yaml), time: SystemTime())
        func signed(_ name: String) throws -> String {
            let resolver = try #require(sites.site(named: name)).resolver
            return try RequestBuilder(resolver).target(of: RequestBuilder.Request(subject: "photos/a.png"))
        }
        let (forShop, forBlog) = (try signed("shop"), try signed("blog"))
        #expect(forBlog.hasPrefix("/blog/photos/a.png?sig="))
        #expect(try rig.ask(forShop, host: "shop.example").status == 200)
        #expect(try rig.ask(forBlog, host: "img.example").status == 200)
        // The same signatures, on the paths of the other site.
        let query = { (target: String) in String(target.drop { $0 != "?" }) }
        #expect(try rig.ask("/photos/a.png" + query(forBlog), host: "shop.example").status == 403)
        #expect(try rig.ask("/blog/photos/a.png" + query(forShop), host: "img.example").status == 403)
        #expect(try rig.ask(forShop, host: "img.example").status == 403)
        #expect(try rig.ask("/photos/a.png", host: "shop.example").status == 403)
        #expect(try rig.ask("/photos/a.png", host: "img.example").status == 200)
    }

    @Test func `no token of this server reaches an origin`() throws {
        let seen = Lock<[String]>([])
        let rig = try SiteRig { request, connection in
            if let value = request.field("authorization") { seen.withLock { $0.append(value) } }
            connection.respond("200 OK", ["Cache-Control: max-age=600"], text: "file")
        }
        for token in ["shop-token", "blog-token", "root-token"] {
            #expect(try rig.ask("/files/\(token).txt", host: "shop.example", token: token).status == 200)
        }
        #expect(seen.withLock { $0 } == [])
        #expect(try rig.ask("/files/own.txt", host: "shop.example", token: "their-own").status == 200)
        #expect(seen.withLock { $0 } == ["Bearer their-own"])
    }

    @Test func `a site over its quota evicts its own entries only`() throws {
        let body = [UInt8](repeating: 7, count: 300 << 10)
        let rig = try SiteRig(shop: ", quota: { originals: 1MiB, memory: 8MiB }") { _, connection in
            connection.respond("200 OK", ["Cache-Control: max-age=600"], body: body)
        }
        for number in 1...4 { #expect(try rig.ask("/files/\(number)", host: "img.example").status == 200) }
        for number in 1...12 { #expect(try rig.ask("/files/\(number)", host: "shop.example").status == 200) }
        try rig.waitUntil("edgeprint_site_originals{site=\"default\"}", is: 4)
        // Evictions begin with the writes that exceed the quota.
        try rig.waitUntil("edgeprint_disk_stores_total", is: 16)
        try waitWhile(rig.metric("edgeprint_site_originals{site=\"shop\"}") ?? 9 > 3)
        #expect(try rig.metric("edgeprint_site_originals_bytes{site=\"shop\"}") ?? .infinity <= 1_048_576)
        let requests = rig.origin.requests
        for number in 1...4 {
            #expect(try rig.status("/files/\(number)", host: "img.example") == "edgeprint; hit; detail=disk")
        }
        #expect(rig.origin.requests == requests)
        #expect(try rig.status("/files/1", host: "shop.example") == "edgeprint; fwd=uri-miss")
    }

    @Test func `the statistics show each site`() throws {
        let rig = try SiteRig(shop: ", quota: { memory: 16MiB }")
        for _ in 1...3 { _ = try rig.ask("/photos/a.png", host: "shop.example") }
        _ = try rig.ask("/photos/a.png", host: "img.example")
        try rig.waitUntil("edgeprint_site_originals{site=\"shop\"}", is: 1)
        #expect(try rig.metric("edgeprint_site_requests_total{site=\"shop\"}") == 3)
        #expect(try rig.metric("edgeprint_site_requests_total{site=\"default\"}") == 1)
        #expect(try rig.metric("edgeprint_site_requests_total{site=\"blog\"}") == 0)
        #expect(try rig.metric("edgeprint_site_memory_bytes{site=\"shop\"}") ?? 0 > 0)
        #expect(try rig.admin("/stats").text.contains("\"requests\":{\"blog\":0,\"default\":1,\"shop\":3}"))
    }

    @Test func `a suspended source of a site suspends no other of its name`() throws {
        let rig = try SiteRig()
        let client = try RawHTTPClient(port: rig.daemon.admin)
        let answer = try client.request(
            "POST",
            "/sources/shop/photos/suspend",
            [("Authorization", "Bearer root-token"), ("Content-Length", "0")]
        )
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try rig.ask("/photos/a.png", host: "shop.example").status == 503)
        #expect(try rig.ask("/photos/a.png", host: "img.example").status == 200)
    }

    @Test func `a reload adds and removes sites without dropping a connection`() throws {
        let rig = try SiteRig()
        let client = try RawHTTPClient(port: rig.daemon.port)
        func ask(_ host: String) throws -> RawHTTPResponse {
            try client.send("GET /photos/a.png HTTP/1.1\r\nHost: \(host)\r\n\r\n")
            return try client.readResponse()
        }
        #expect(try ask("shop.example").status == 200 && ask("new.example").status == 421)
        let yaml = SiteRig.yaml(rig.origin.url, rig.folder.path)
        let changed = yaml.replacing("shop: { hosts: [shop.example]", with: "fresh: { hosts: [new.example]")
        try rig.daemon.rewrite(changed, listeners: SiteRig.listeners)
        rig.daemon.signal(SIGHUP)
        try rig.daemon.waitForLog("configuration reloaded")
        #expect(rig.daemon.logText.contains("\"changed\":\"sites\""), "\(rig.daemon.logText)")
        #expect(try ask("shop.example").status == 421)
        let answer = try ask("new.example")
        #expect(answer.status == 200 && answer["Cache-Status"] == "edgeprint; fwd=uri-miss")
        #expect(try rig.metric("edgeprint_site_requests_total{site=\"shop\"}") == nil)
        // The site's entries are found again when it returns.
        try rig.daemon.rewrite(yaml, listeners: SiteRig.listeners)
        rig.daemon.signal(SIGHUP)
        try rig.daemon.waitForLog("configuration reloaded", times: 2)
        #expect(try ask("shop.example")["Cache-Status"]?.contains("hit") == true)
    }
}
