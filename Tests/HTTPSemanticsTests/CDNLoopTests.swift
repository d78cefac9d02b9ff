import HTTPSemantics
import Testing

@Suite(.timeLimit(.minutes(1)))
struct CDNLoopTests {
    private func loop(_ text: String) -> CDNLoop { CDNLoop(Array(text.utf8)) }

    @Test(arguments: [
        ("a", "a"), ("a, b ,\t,c", "a, b, c"), ("foo123.foocdn.example, barcdn.example; trace=\"abcdef\"", nil),
        ("cdn:443", "cdn:443"), ("a ; x=1;y=\"2\"", "a;x=1;y=2"), ("", ""), (" , ", ""), ("A-b_c", "A-b_c"),
    ])
    func `forwards names and parameters that are tokens`(value: String, sent: String?) {
        #expect(loop(value).text == sent ?? "foo123.foocdn.example, barcdn.example;trace=abcdef")
    }

    @Test(arguments: [
        ("${jndi:ldap://x/a}", ""), ("a, ${jndi:ldap://x/a}, b", "a, b"), ("a;x=\"${jndi:x}\"", "a"), ("a;x=\"\"", "a"),
        ("a b", ""), ("a;x", ""), ("a;x=", ""), ("a (comment), b", "b"), ("<script>", ""), ("a/b, c", "c"),
        ("\u{e4}, c", "c"), ("a;x=\"b", ""), ("a;x=\"b\\", ""), ("a:b", ""),
    ])
    func `forwards nothing else`(value: String, sent: String) {
        #expect(loop(value).text == sent && !loop(value).isExcessive)
    }

    @Test func `finds a name in any case, even before malformed parts`() {
        for value in ["edge-1", "a, EDGE-1;x=1", "a, edge-1 (x), b", "Edge-1;x"] {
            #expect(loop(value).contains("edge-1"))
        }
        for value in ["edge-12", "edge", "x;edge-1=2", "", "edge-1x"] { #expect(!loop(value).contains("edge-1")) }
    }

    @Test func `more than eight names or 256 bytes count as a loop`() {
        #expect(!loop("1,2,3,4,5,6,7,8").isExcessive && loop("1,2,3,4,5,6,7,8,9").isExcessive)
        #expect(loop("1,2,3,4,5,6,7,8,{}").isExcessive && !loop(",,,,,,,,,,,,").isExcessive)
        let longest = String(repeating: "a", count: CDNLoop.maximumLength)
        #expect(!loop(longest).isExcessive && loop(longest + "a").isExcessive)
    }
}
