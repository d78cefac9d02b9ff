import HTTPKit
import TestSupport
import Testing

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct SiteTableTests {
    private static let sites = """
        sites:
          shop: { hosts: [img.shop.example, "*.shop.example", "[::1]", 192.0.2.7, "[2001:0db8:0::A]"] }
          deep: { hosts: ["*.cdn.shop.example"] }
          blog: { prefix: /blog }
          wiki: { prefix: /our/wiki }
        """

    private func name(_ target: String, host: String?, _ yaml: String) throws -> String? {
        let table = try SiteTable(try load(yaml), time: ManualTime())
        let field = host.map { "Host: \($0)\r\n" } ?? ""
        let request = Array("GET \(target) HTTP/1.\(host == nil ? 0 : 1)\r\n\(field)\r\n".utf8)
        var head = RequestHead()
        var progress = ParseProgress()
        guard case .complete = try RequestParser().parse(request.span, &progress, into: &head) else { return nil }
        return table.site(of: head, in: request.span)?.title
    }

    @Test(arguments: [
        ("img.shop.example", "shop"), ("IMG.Shop.Example.:8080", "shop"), ("a.shop.example", "shop"),
        ("a.b.shop.example", "shop"), ("x.cdn.shop.example", "deep"), ("cdn.shop.example", "shop"),
        ("[::1]:80", "shop"), ("[0:0:0:0:0:0:0:1]", "shop"), ("[0::1]:80", "shop"), ("[2001:DB8::0:A]", "shop"),
        ("[::2]", nil), ("[2001:db8::a:0]", nil), ("192.0.2.7:8080", "shop"), ("img.example", "default"),
        ("shop.example", nil), ("other.example", nil), ("192.0.2.8", nil), (".shop.example", nil),
    ])
    func `selects a site by host, an exact name before the longest wildcard`(host: String, site: String?) throws {
        #expect(try name("/photos/a.jpg", host: host, "hosts: [img.example]\n\(Self.sites)") == site)
    }

    @Test func `suggests a site without two marks at the end of the sentence`() throws {
        let table = try SiteTable(try load("hosts: [img.example]\n\(Self.sites)"), time: ManualTime())
        #expect(Problem.unknownSite("shp", in: table).detail == "There is no site 'shp'; did you mean shop?")
        #expect(Problem.unknownSite("nothing-like-it", in: table).detail == "There is no site 'nothing-like-it'.")
    }

    @Test(arguments: [
        ("/blog/photos/a.jpg", "blog"), ("/our/wiki/a/b", "wiki"), ("/our/wikis/a", "default"),
        ("/blog", "default"), ("/blog?w=1", "default"), ("/photos/blog/a.jpg", "default"), ("/%62log/a", "default"),
    ])
    func `selects a site by the segments at the beginning of the path`(path: String, site: String) throws {
        #expect(try name(path, host: "img.example", "hosts: [img.example]\n\(Self.sites)") == site)
    }

    @Test func `prefixes count on the hosts of the default site only`() throws {
        let yaml = "hosts: [img.example]\n\(Self.sites)"
        #expect(try name("/blog/a/b", host: "img.shop.example", yaml) == "shop")
        #expect(try name("/blog/a/b", host: "other.example", yaml) == nil)
    }

    @Test func `without hosts, the default site answers for all`() throws {
        #expect(try name("/a/b", host: "x.example", "{}") == "default")
        #expect(try name("/a/b", host: nil, "{}") == "default")
        let yaml = "sites: { blog: { prefix: /blog } }"
        #expect(try name("/a/b", host: "x.example", yaml) == "default")
        #expect(try name("/blog/b", host: nil, yaml) == "blog")
    }

    @Test func `a star stands for all other hosts, and for requests without one`() throws {
        let yaml = "hosts: [\"*\"]\nsites: { shop: { hosts: [shop.example] } }"
        #expect(try name("/a/b", host: "shop.example", yaml) == "shop")
        #expect(try name("/a/b", host: "x.example", yaml) == "default")
        #expect(try name("/a/b", host: nil, yaml) == "default")
        #expect(try name("/a/b", host: nil, "sites: { shop: { hosts: [shop.example] } }") == nil)
    }

    @Test func `hosts at the file's top restrict the default site without others, too`() throws {
        #expect(try name("/a/b", host: "a.example", "hosts: [a.example]") == "default")
        #expect(try name("/a/b", host: "b.example", "hosts: [a.example]") == nil)
    }

    @Test func `the host of a target in absolute form wins over the field`() throws {
        let yaml = "hosts: [img.example]\n\(Self.sites)"
        #expect(try name("http://img.shop.example/a/b", host: "img.example", yaml) == "shop")
    }

    @Test(arguments: [
        ("/files/a.css", true), ("/files", true), ("/files?a", true), ("/files/", true), ("/fetch?url=x", true),
        ("/fetch", true),
        ("/filesystem/a", false), ("/file/a", false), ("/photos/files/a", false), ("/fil", false), ("/", false),
        ("*", false),
        ("/%66iles/a", true), ("/file%73", true), ("/%66etch?url=x", true), ("/Files/a", false), ("/%46iles/a", false),
        ("/files%2Fa", false), ("/file%7", false), ("/file%", false), ("/%2566iles/a", false), ("/file%73x/a", false),
    ])
    func `recognises the targets of raw sources, as their rules do`(target: String, isRaw: Bool) throws {
        let source =
            "sources: { files: { url: \"https://a.example/\", raw: true }, photos: { url: \"https://b.example/\" } }"
        for prefix in ["", "/blog"] {
            let resolver = try RequestResolver(
                try load("\(source)\nremote: { raw: true }"),
                time: ManualTime(),
                mount: prefix
            )
            let site = Site(resolver: resolver, mount: prefix)
            let bytes = Array("GET \(prefix)\(target) HTTP/1.1".utf8)
            let range = 4 + prefix.utf8.count..<4 + prefix.utf8.count + target.utf8.count
            #expect(site.isRaw(range, in: bytes.span) == isRaw)
            #expect((resolver.rawRule(of: Array(target.utf8)) != nil) == isRaw)
        }
    }

    @Test func `no target of a dialect is of a raw source`() throws {
        let yaml = "dialect: imgproxy\nsources: { files: { url: \"https://a.example/\", raw: true } }"
        let bytes = Array("/files/a.css".utf8)
        #expect(try !SiteTable(try load(yaml), time: ManualTime()).standard.isRaw(0..<bytes.count, in: bytes.span))
    }
}
