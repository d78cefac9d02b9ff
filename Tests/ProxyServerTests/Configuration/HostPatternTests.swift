import ImagePipeline
import Testing
import LinuxSystem

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct HostPatternTests {
    @Test(arguments: [
        ("img.example.com", "img.example.com", true), ("img.example.com", "IMG.Example.COM.", true),
        ("IMG.example.com", "img.example.com", true), ("img.example.com", "img.example.com.evil.org", false),
        ("img.example.com", "ximg.example.com", false), ("*.example.com", "a.example.com", true),
        ("*.example.com", "a.b.example.com", true), ("*.example.com", "example.com", false),
        ("*.example.com", "evilexample.com", false), ("*.example.com", ".example.com", true),
        ("img-*.example.com", "img-1.example.com", true), ("img-*.example.com", "img-1.evil.example.com", false),
        ("img-*.example.com", "img-.example.com", true), ("example.*", "example.org", true),
        ("example.*", "example.evil.org", false),
        ("*", "anything.example", true), ("*", "", false), ("a*b*c.x", "aXbYc.x", true), ("a*b*c.x", "aXcYb.x", false),
        ("127.0.0.1", "127.0.0.1", true), ("[::1]", "[::1]", true),
        ("*a*a*a*a*b.x", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.x", false),
    ])
    func `matches hosts`(pattern: String, host: String, matches: Bool) {
        #expect(HostPattern(pattern)?.matches(host) == matches)
    }

    @Test(arguments: ["", "a b", "a..b", ".a", "a.", "http://a", "a/b", "a@b", "ä.example", "a?b"])
    func `refuses invalid patterns`(text: String) {
        #expect(HostPattern(text) == nil)
    }

    @Test func `compares whole secrets`() {
        let secret = Secret("abc")
        #expect(secret.matches("abc".utf8))
        for other in ["", "a", "ab", "abd", "abcabc", "xabc", "ABC"] {
            #expect(!secret.matches(other.utf8), "\(other)")
        }
        #expect(!Secret("").matches("a".utf8))
    }
}
