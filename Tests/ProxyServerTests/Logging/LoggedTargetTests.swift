import Testing

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct LoggedTargetTests {
    private func shown(_ target: String, limit: Int = 1000) -> String {
        var line: [UInt8] = []
        LoggedTarget.append(target.utf8Span.span, limit: limit, to: &line)
        return String(decoding: line, as: UTF8.self)
    }

    @Test(arguments: [
        ("/a?w=1&sig=SECRET", "/a?w=1&sig=[redacted]"), ("/a?sig=SECRET&w=1", "/a?sig=[redacted]&w=1"),
        ("/a?%73ig=SECRET", "/a?%73ig=[redacted]"), ("/a?%73%69%67=SECRET&x", "/a?%73%69%67=[redacted]&x"),
        ("/a?s%69g=SECRET", "/a?s%69g=[redacted]"), ("/a?sig=SECRET&sig=SECRET", "/a?sig=[redacted]&sig=[redacted]"),
        ("/a?sig=", "/a?sig=[redacted]"), ("/a?w=1&sig=SEC?RET", "/a?w=1&sig=[redacted]"),
        ("/a?&sig=SECRET", "/a?&sig=[redacted]"),
        ("/a?w=1", "/a?w=1"), ("/sig=plain", "/sig=plain"), ("/a?design=plain", "/a?design=plain"),
        ("/a/w=1,sig=SECRET/b?c", "/a/w=1,sig=[redacted]/b?c"),
        ("/a/s%69g=S,w=1/b?sig=S", "/a/s%69g=[redacted],w=1/b?sig=[redacted]"),
        ("/m/a/sig=SECRET", "/m/a/sig=[redacted]"), ("/a/design=plain,x", "/a/design=plain,x"),
        ("/a?sig", "/a?sig"), ("/a?signal=x", "/a?signal=x"),
        ("", ""), ("/a?%73", "/a?%73"),
    ])
    func `redacts a signature, however its name is spelt`(target: String, expected: String) {
        #expect(shown(target) == "\"\(expected)\"")
    }

    @Test func `redacts a signature across the limit`() {
        #expect(shown("/a?sig=SECRET", limit: 9) == "\"/a?sig=[r\\u2026\"")
    }
}
