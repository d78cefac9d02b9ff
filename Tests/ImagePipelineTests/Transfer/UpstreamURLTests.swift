import ImagePipeline
import Testing

@Suite(.timeLimit(.minutes(1)))
struct UpstreamURLTests {
    @Test(arguments: [
        ("http://example.com", "http://example.com/"),
        ("HTTP://EXAMPLE.com:80/A/b?C=d#e", "http://example.com/A/b?C=d"),
        ("https://example.com:443/", "https://example.com/"),
        ("https://example.com:8443/x", "https://example.com:8443/x"),
        ("http://example.com?a=/b", "http://example.com/?a=/b"),
        ("http://example.com#f", "http://example.com/"),
        ("http://example.com:/", "http://example.com/"),
        ("http://example.com/a//b/../c/%2F%2e", "http://example.com/a//b/../c/%2F%2e"),
        ("http://a_b.example.com./", "http://a_b.example.com./"),
        ("http://xn--bcher-kva.example/", "http://xn--bcher-kva.example/"),
        ("http://[2001:4860::8888]:81/x", "http://[2001:4860::8888]:81/x"),
        ("http://[2001:4860::ABCD]/", "http://[2001:4860::abcd]/"),
        ("http://example.com/a@b:c", "http://example.com/a@b:c"),
        ("http://example.com/?", "http://example.com/?"),
    ])
    func `puts a URL together as it was parsed`(_ text: String, _ expected: String) throws {
        #expect(try UpstreamURL(text).text == expected)
    }

    @Test(arguments: [
        ("", UpstreamURL.Defect.syntax), ("example.com", .syntax), ("/a", .syntax), ("//example.com/", .syntax),
        ("http:/example.com/", .syntax), ("http:example.com", .syntax), ("http:///x", .host), ("://x", .syntax),
        ("ftp://example.com/", .scheme), ("file:///etc/passwd", .scheme), ("gopher://example.com/", .scheme),
        ("httpx://example.com/", .scheme), ("http\u{0}://example.com/", .scheme), ("1http://example.com/", .syntax),
        (" http://example.com/", .syntax), ("http://example.com/a b", .syntax), ("http://exa\tmple.com/", .syntax),
        ("http://example.com/\r\nX: y", .syntax), ("http://example.com\\@evil.test/", .syntax),
        ("http://example.com/\\", .syntax), ("http://exämple.com/", .syntax), ("http://example.com/ä", .syntax),
        ("http://a@example.com/", .userinfo), ("http://a:b@example.com/", .userinfo),
        ("http://@example.com/", .userinfo),
        ("http://example.com:80@evil.test/", .userinfo), ("http://a@b@c/", .userinfo),
        ("http://127%2e0%2e0%2e1/", .host), ("http://ex%61mple.com/", .host), ("http://.example.com/", .host),
        ("http://example..com/", .host), ("http://./", .host), ("http://example.com../", .host),
        ("http://[::1/", .host), ("http://[::1]x/", .host), ("http://[fe80::1%25lo]/", .host),
        ("http://[fe80::1%lo]/", .host),
        ("http://[v1.a]/", .host), ("http://[127.0.0.1]/", .host), ("http://[]/", .host), ("http://::1/", .host),
        ("http://1.2.3.4.5/", .host), ("http://256.1.1.1/", .host),
        ("http://1.2.3.08/", .host), ("http://127.0.1./", .host), ("http://1.1.1./", .host), ("http://0x7f./", .host),
        ("http://a.test#@b.test/", .userinfo), ("http://a.test/b#c@d", .userinfo), ("http://4294967296/", .host),
        ("http://a.1/", .host), ("http://a!b/", .host),
        ("http://example.com:0/", .port), ("http://example.com:65536/", .port), ("http://example.com:080000/", .port),
        ("http://example.com:8a/", .port), ("http://example.com:-1/", .port), ("http://example.com:80:80/", .port),
    ])
    func `names what is wrong with a URL`(_ text: String, _ defect: UpstreamURL.Defect) {
        #expect(throws: defect) { try UpstreamURL(text) }
    }

    @Test func `bounds a URL and a host name`() throws {
        let base = "http://example.com/"
        let longest = base + String(repeating: "a", count: UpstreamURL.maximumLength - base.utf8.count)
        #expect(try UpstreamURL(longest).text == longest)
        #expect(throws: UpstreamURL.Defect.syntax) { try UpstreamURL(longest + "a") }
        let label = String(repeating: "a", count: 63)
        #expect(try UpstreamURL("http://\(label).test/").host == .name("\(label).test"))
        #expect(throws: UpstreamURL.Defect.host) { try UpstreamURL("http://\(label)a.test/") }
        let name = [label, label, label, String(repeating: "b", count: 61)].joined(separator: ".")
        #expect(try UpstreamURL("http://\(name)/").host == .name(name))
        #expect(throws: UpstreamURL.Defect.host) { try UpstreamURL("http://\(name)c/") }
    }

    /// RFC 3986 §5.4, with its base's scheme exchanged; fragments are dropped.
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
        ("g\\h", "!syntax"), ("g\u{1}", "!syntax"), ("g\tx", "!syntax"), ("//u@h/", "!userinfo"), ("http://", "!host"),
        ("a/b:c", "http://a/b/c/a/b:c"), ("./a:b", "http://a/b/c/a:b"),
    ])
    func `resolves a Location as RFC 3986 says`(_ reference: String, _ expected: String) throws {
        let base = try UpstreamURL("http://a/b/c/d;p?q")
        do {
            #expect(try base.resolving(reference).text == expected)
        } catch {
            #expect(expected.hasPrefix("!") && (expected == "!" || expected == "!\(error.rawValue)"), "\(error)")
        }
    }

    @Test func `compares origins by scheme, host and port`() throws {
        let base = try UpstreamURL("http://a.test/x")
        #expect(base.hasSameOrigin(as: try UpstreamURL("HTTP://A.test:80/y?z")))
        for other in ["https://a.test/x", "http://b.test/x", "http://a.test:81/x", "http://a.test./x"] {
            #expect(!base.hasSameOrigin(as: try UpstreamURL(other)), "\(other)")
        }
    }

    @Test(arguments: [
        ("http://example.com/", "allow name"), ("https://localhost.example/", "allow name"),
        ("http://8.8.8.8/", "allow public"), ("http://134744072/", "allow public"),
        ("http://0x8080808/", "allow public"),
        ("http://[2606:4700::1111]/", "allow public"), ("http://[::ffff:8.8.8.8]/", "allow public"),
        ("http://localhost/", "block loopback"), ("http://LOCALHOST:80/", "block loopback"),
        ("http://localhost./", "block loopback"), ("http://a.localhost/", "block loopback"),
        ("http://127.0.0.1/", "block loopback"), ("http://127.1/", "block loopback"),
        ("http://127.0.1/", "block loopback"),
        ("http://2130706433/", "block loopback"), ("http://0x7f000001/", "block loopback"),
        ("http://0X7F.1/", "block loopback"), ("http://0177.0.0.01/", "block loopback"),
        ("http://017700000001/", "block loopback"), ("http://127.0.0.1./", "block malformed"),
        ("http://0/", "block unspecified"),
        ("http://0x/", "block unspecified"), ("http://169.254.169.254/latest/", "block link-local"),
        ("http://2852039166/", "block link-local"), ("http://0xa9.0xfe.43518/", "block link-local"),
        ("http://10.1/", "block private"), ("http://192.168.257/", "block private"),
        ("http://[::1]/", "block loopback"), ("http://[0:0::0:1]/", "block loopback"),
        ("http://[::]/", "block unspecified"),
        ("http://[::ffff:127.0.0.1]/", "block ipv4-mapped/loopback"),
        ("http://[::ffff:7f00:1]/", "block ipv4-mapped/loopback"),
        ("http://[64:ff9b::a00:1]/", "block nat64/private"), ("http://[fe80::1]/", "block link-local"),
        ("http://[fe80::1%25eth0]/", "block malformed"), ("http://256.256.256.256/", "block malformed"),
        ("http://0x7g.1/", "block malformed"),
        ("ftp://8.8.8.8/", "block scheme"), ("http://u@8.8.8.8/", "block userinfo"), ("8.8.8.8", "block malformed"),
        ("http://8.8.8.8:99999/", "block malformed"), ("http://１２７.0.0.1/", "block malformed"),
        ("http://8.8.8.8:25/", "block bad-port"), ("http://10.0.0.1:25/", "block private"),
    ])
    func `judges a URL without resolving it`(_ url: String, _ expected: String) {
        let verdict = UpstreamURL.verdict(url: url)
        #expect("\(verdict.decision.rawValue) \(verdict.rule)" == expected)
    }
}
