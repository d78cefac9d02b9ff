import HTTPSemantics
import Testing

@Suite(.timeLimit(.minutes(1)))
struct OriginURLTests {
    /// What is sent as given, and the normal form that version 1 used in keys: changing one invalidates the entries under it.
    @Test(arguments: [
        ("http://Example.COM", "http://example.com/", "http://example.com/"),
        ("http://example.com", "http://example.com/", "http://example.com/"),
        ("HTTPS://example.com:443/a", "https://example.com/a", "https://example.com/a"),
        ("http://example.com:/a", "http://example.com/a", "http://example.com/a"),
        ("http://example.com:00080/", "http://example.com/", "http://example.com/"),
        ("http://example.com:8080/a", "http://example.com:8080/a", "http://example.com:8080/a"),
        ("https://example.com:80/", "https://example.com:80/", "https://example.com:80/"),
        ("http://example.com?x=1#frag", "http://example.com/?x=1", "http://example.com/?x=1"),
        ("http://example.com#f", "http://example.com/", "http://example.com/"),
        ("http://example.com/?", "http://example.com/?", "http://example.com/?"),
        ("http://example.com?a=/b", "http://example.com/?a=/b", "http://example.com/?a=/b"),
        ("HTTP://EXAMPLE.com:80/A/b?C=d#e", "http://example.com/A/b?C=d", "http://example.com/A/b?C=d"),
        ("http://example.com/a%7eb%2fC%3a", "http://example.com/a%7eb%2fC%3a", "http://example.com/a~b%2FC%3A"),
        ("http://example.com/?q=%41%20", "http://example.com/?q=%41%20", "http://example.com/?q=A%20"),
        ("http://example.com/a/./b/../c", "http://example.com/a/./b/../c", "http://example.com/a/c"),
        ("http://example.com/a/%2e%2E/c", "http://example.com/a/%2e%2E/c", "http://example.com/c"),
        ("http://example.com/../../a/..", "http://example.com/../../a/..", "http://example.com/"),
        ("http://example.com//a//b/", "http://example.com//a//b/", "http://example.com//a//b/"),
        ("http://example.com/a//b/../c/%2F%2e", "http://example.com/a//b/../c/%2F%2e", "http://example.com/a//c/%2F."),
        ("http://example.com/?a=/../b", "http://example.com/?a=/../b", "http://example.com/?a=/../b"),
        ("http://example.com/a b/é", "http://example.com/a%20b/%C3%A9", "http://example.com/a%20b/%C3%A9"),
        ("http://example.com/?a[]=1&b=|", "http://example.com/?a[]=1&b=%7C", "http://example.com/?a[]=1&b=%7C"),
        (
            "http://example.com/{a}\"<b>^`", "http://example.com/%7Ba%7D%22%3Cb%3E%5E%60",
            "http://example.com/%7Ba%7D%22%3Cb%3E%5E%60"
        ),
        ("http://example.com/a@b:c", "http://example.com/a@b:c", "http://example.com/a@b:c"),
        (
            "http://example.com/a;b=1,2'(3)*!$&+=~", "http://example.com/a;b=1,2'(3)*!$&+=~",
            "http://example.com/a;b=1,2'(3)*!$&+=~"
        ),
        (
            "http://example.com/?q=a+b&c=%C3%A9&&=", "http://example.com/?q=a+b&c=%C3%A9&&=",
            "http://example.com/?q=a+b&c=%C3%A9&&="
        ),
        ("http://[::1]:8080/", "http://[::1]:8080/", "http://[::1]:8080/"),
        ("http://[2001:DB8::1]/", "http://[2001:db8::1]/", "http://[2001:db8::1]/"),
        ("http://[2001:4860::8888]:81/x", "http://[2001:4860::8888]:81/x", "http://[2001:4860::8888]:81/x"),
        ("http://[::FFFF:8.8.8.8]/", "http://[::ffff:8.8.8.8]/", "http://[::ffff:8.8.8.8]/"),
        ("http://127.0.0.1/", "http://127.0.0.1/", "http://127.0.0.1/"),
        ("http://127.1/", "http://127.1/", "http://127.1/"),
        ("http://0X7F.1/a", "http://0x7f.1/a", "http://0x7f.1/a"),
        ("http://0177.0.0.01/", "http://0177.0.0.01/", "http://0177.0.0.01/"),
        ("http://2130706433/", "http://2130706433/", "http://2130706433/"),
        ("http://a_b.example.com./", "http://a_b.example.com./", "http://a_b.example.com./"),
        ("http://-a.example/", "http://-a.example/", "http://-a.example/"),
        ("http://xn--bcher-kva.example/", "http://xn--bcher-kva.example/", "http://xn--bcher-kva.example/"),
        ("http://localhost/", "http://localhost/", "http://localhost/"),
        ("http://8.8.8.8:443/", "http://8.8.8.8:443/", "http://8.8.8.8:443/"),
    ])
    func `all spellings of a URL have one normal form, which is the key and is sent`(
        text: String,
        given: String,
        normalized: String
    ) throws {
        let url = try OriginURL(text)
        #expect(url.normalized == normalized)
        #expect(url.text == normalized)
        #expect(try OriginURL(given) == url)
        #expect(try OriginURL(normalized) == url)
        // As given for other nodes, whose signatures cover the spelling.
        let same = try OriginURL(asGiven: text)
        #expect(same.text == given)
        #expect(same.normalized == normalized)
    }

    /// URLs that two parsers could interpret differently are refused.
    @Test(arguments: [
        ("", OriginURL.Defect.relative), ("example.com", .relative), ("example.com/a", .relative), ("/a", .relative),
        ("//example.com/", .relative), ("http:/example.com/", .relative), ("http:/example.com", .relative),
        ("http:example.com", .relative), ("://x", .relative), ("1http://example.com/", .relative),
        (" http://example.com/", .relative), ("no url", .relative), ("HTTP//good.example/", .relative),
        ("ftp://example.com/", .scheme), ("file:///etc/passwd", .scheme), ("gopher://example.com/", .scheme),
        ("httpx://example.com/", .scheme), ("javascript:alert(1)", .scheme), ("data:text/html,x", .scheme),
        ("example.com:80", .scheme), ("http\u{0}://example.com/", .character), ("http://exa\tmple.com/", .character),
        ("http://example.com/\r\nX: y", .character), ("http://example.com/\n", .character),
        ("http://example.com/\u{0}", .character), ("http://example.com\\@evil.test/", .character),
        ("http://example.com/\\", .character), ("http://example.com/?a\u{7F}", .character),
        ("http://example.com/#\u{1}", .character), ("http://user@example.com/", .userinfo),
        ("http://user:pw@example.com/", .userinfo), ("http://@example.com/", .userinfo),
        ("http://example.com:80@evil.test/", .userinfo), ("http://a@b@c/", .userinfo),
        ("http://a%2f@127.0.0.1/", .userinfo), ("http://a.test#@b.test/", .fragment),
        ("http://a.test/b#c@d", .fragment), ("http://example.com/a?b#c@d", .fragment), ("http://", .host),
        ("http:///a", .host), ("http://?x", .host), ("http://#x", .host), ("http://exa mple.com/", .host),
        ("http://exämple.com/", .host), ("http://１２７.0.0.1/", .host), ("http://ex%61mple.com/", .host),
        ("http://127%2e0%2e0%2e1/", .host), ("http://a%40b/", .host), ("http://a!b/", .host), ("http://a~b/", .host),
        ("http://a+b/", .host), ("http://.example.com/", .host), ("http://a..b/", .host),
        ("http://example..com/", .host), ("http://a..example.com/", .host), ("http://./", .host),
        ("http://example.com../", .host), ("http://[::1/", .host), ("http://[::1]x/", .host),
        ("http://[fe80::1%25eth0]/", .host), ("http://[fe80::1%lo]/", .host), ("http://[v1.a]/", .host),
        ("http://[127.0.0.1]/", .host), ("http://[1234]/", .host), ("http://[]/", .host), ("http://[:::]/", .host),
        ("http://::1/", .host), ("http://1.2.3.4.5/", .host), ("http://256.1.1.1/", .host),
        ("http://127.0.0.256/", .host), ("http://1.2.3.08/", .host), ("http://127.0.0.1./", .host),
        ("http://127.0.1./", .host), ("http://1.1.1./", .host), ("http://0x7f./", .host), ("http://0x7g.1/", .host),
        ("http://4294967296/", .host), ("http://0x100000000/", .host), ("http://a.1/", .host),
        ("http://example.com:0/", .port), ("http://example.com:65536/", .port), ("http://example.com:080000/", .port),
        ("http://example.com:8a/", .port), ("http://example.com:-1/", .port), ("http://example.com:80:80/", .port),
        ("http://example.com:+80/", .port), ("http://[::1]:x/", .port), ("http://example.com/a%", .percent),
        ("http://example.com/a%2", .percent), ("http://example.com/%zz", .percent),
        ("http://example.com/?a=%", .percent), ("http://example.com/%%41", .percent),
    ])
    func `reports the error in a URL`(_ text: String, _ defect: OriginURL.Defect) {
        #expect(throws: defect) { try OriginURL(text) }
    }

    @Test func `limits the length of a URL and of a host name`() throws {
        let base = "http://example.com/"
        let longest = base + String(repeating: "a", count: OriginURL.maximumLength - base.utf8.count)
        #expect(try OriginURL(longest).text == longest)
        #expect(try OriginURL(longest + "#fragment").text == longest)
        #expect(throws: OriginURL.Defect.length) { try OriginURL(longest + "a") }
        // Percent-encoded, it is over the bound.
        #expect(throws: OriginURL.Defect.length) { try OriginURL(longest.dropLast() + " ") }
        let label = String(repeating: "a", count: 63)
        #expect(try OriginURL("http://\(label).test/").host == .name("\(label).test"))
        #expect(throws: OriginURL.Defect.host) { try OriginURL("http://\(label)a.test/") }
        let name = [label, label, label, String(repeating: "b", count: 61)].joined(separator: ".")
        #expect(try OriginURL("http://\(name)/").host == .name(name))
        #expect(throws: OriginURL.Defect.host) { try OriginURL("http://\(name)c/") }
    }

    @Test(arguments: [
        ("http://CDN.Example.com/", OriginURL.Host.name("cdn.example.com")), ("http://a.b./", .name("a.b.")),
        ("http://127.0.0.1/", .address(.v4(0x7F00_0001))), ("http://127.1/", .address(.v4(0x7F00_0001))),
        ("http://0x7f000001/", .address(.v4(0x7F00_0001))), ("http://0177.0.0.01/", .address(.v4(0x7F00_0001))),
        ("http://2130706433/", .address(.v4(0x7F00_0001))), ("http://0x/", .address(.v4(0))),
        ("http://192.168.257/", .address(.v4(0xC0A8_0101))), ("http://0xa.example/", .name("0xa.example")),
        ("http://1.2.3.4.example/", .name("1.2.3.4.example")), ("http://0x7g/", .name("0x7g")),
        ("http://[::1]/", .address(.v6(high: 0, low: 1))), ("http://[0:0::0:1]/", .address(.v6(high: 0, low: 1))),
        ("http://[2001:DB8::1]/", .address(.v6(high: 0x2001_0DB8_0000_0000, low: 1))),
    ])
    func `distinguishes names from addresses`(_ text: String, _ host: OriginURL.Host) throws {
        #expect(try OriginURL(text).host == host)
    }

    @Test func `splits scheme, host, port, path and query`() throws {
        let url = try OriginURL("HTTPS://CDN.Example.com/a%2Fb?c?d")
        #expect(url.scheme == .https)
        #expect(url.hostText == "cdn.example.com")
        #expect(url.port == 443)
        #expect(url.requestTarget == "/a%2Fb?c?d")
        #expect(url.path == "/a%2Fb")
        #expect(url.query == "c?d")
        #expect(url.origin == "https://cdn.example.com")
        #expect(try OriginURL("http://[::1]:8080/").authority == "[::1]:8080")
        #expect(try OriginURL("http://a/").query == nil)
        #expect(try OriginURL("http://a/?").query == "")
    }

    /// RFC 3986 §5.4, with another scheme of the base; fragments are dropped.
    @Test(arguments: [
        ("http:g", "!"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
        ("/g", "http://a/g"), ("//g", "http://g/"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
        ("#s", "http://a/b/c/d;p?q"), ("g#s", "http://a/b/c/g"), ("g?y#s", "http://a/b/c/g?y"),
        (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"), ("g;x?y#s", "http://a/b/c/g;x?y"),
        ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"),
        ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../", "http://a/"),
        ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"),
        ("/./g", "http://a/g"), ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"),
        ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"),
        ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"),
        ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"),
        ("g?y/./x", "http://a/b/c/g?y/./x"), ("g?y/../x", "http://a/b/c/g?y/../x"),
        ("https://h/i/../j", "https://h/j"), ("//[::2]:8/x", "http://[::2]:8/x"), ("?", "http://a/b/c/d;p?"),
        (" g h ", "http://a/b/c/g%20h%20"), ("/bücher", "http://a/b%C3%BCcher"), ("g^h`", "http://a/b/c/g%5Eh%60"),
        ("file:///etc/passwd", "!scheme"), ("javascript:alert(1)", "!scheme"), ("data:,x", "!scheme"),
        ("g\\h", "!character"), ("g\u{1}", "!character"), ("g\tx", "!character"), ("//u@h/", "!userinfo"),
        ("http://", "!host"),
        ("100%", "http://a/b/c/100%"), ("%zz?%", "http://a/b/c/%zz?%"), ("{x}|", "http://a/b/c/%7Bx%7D%7C"),
        ("a/b:c", "http://a/b/c/a/b:c"), ("./a:b", "http://a/b/c/a:b"),
        ("/%7e%2f?q=%41", "http://a/%7e%2f?q=%41"), ("/x/%2E./y", "http://a/x/%2E./y"),
    ])
    func `resolves a Location by RFC 3986`(_ reference: String, _ expected: String) throws {
        let base = try OriginURL("http://a/b/c/d;p?q")
        do {
            #expect(try base.resolving(reference).text == expected)
        } catch {
            #expect(expected.hasPrefix("!") && (expected == "!" || expected == "!\(error.rawValue)"), "\(error)")
        }
    }

    @Test func `compares origins by scheme, host and port`() throws {
        let base = try OriginURL("http://a.test/x")
        #expect(base.hasSameOrigin(as: try OriginURL("HTTP://A.test:80/y?z")))
        for other in ["https://a.test/x", "http://b.test/x", "http://a.test:81/x", "http://a.test./x"] {
            #expect(!base.hasSameOrigin(as: try OriginURL(other)), "\(other)")
        }
    }
}
