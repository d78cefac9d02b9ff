import HTTPSemantics
import Testing

@Suite(.timeLimit(.minutes(1)))
struct EntityTagTests {
    @Test(arguments: [
        ("\"xyzzy\"", false, "xyzzy"), ("W/\"xyzzy\"", true, "xyzzy"), ("\"\"", false, ""), ("W/\"\"", true, ""),
        ("\"a,b c\"".replacing(" ", with: "!"), false, "a,b!c"), ("\"W/\"", false, "W/"), ("\"\\\"", false, "\\"),
        ("\"é\"", false, "é"),
    ])
    func `parses strong and weak tags`(text: String, weak: Bool, opaque: String) throws {
        let tag = try #require(EntityTag(text))
        #expect(tag.isWeak == weak)
        #expect(tag.opaque == Array(opaque.utf8))
        #expect(tag.description == text)
        #expect(tag.bytes == Array(text.utf8))
    }

    @Test(arguments: [
        "", "xyzzy", "\"", "\"xyzzy", "xyzzy\"", "w/\"xyzzy\"", "W/xyzzy", "W \"x\"", "W/ \"x\"", "\"a b\"",
        "\"a\u{7F}\"",
        "\"a\tb\"", "\"a\"b\"", "\"a\" ", " \"a\"", "\"a\", \"b\"", "*", "'a'",
    ])
    func `rejects invalid tags`(text: String) {
        #expect(EntityTag(text) == nil)
    }

    @Test func `a tag contains no quote`() {
        #expect(EntityTag(opaque: Array("a\"b".utf8)) == nil)
        #expect(EntityTag(opaque: Array("a\r\n".utf8)) == nil)
        #expect(EntityTag(opaque: Array("a-1".utf8))?.description == "\"a-1\"")
    }

    // The table in RFC 9110 §8.8.3.2.
    @Test(arguments: [
        ("W/\"1\"", "W/\"1\"", false, true), ("W/\"1\"", "W/\"2\"", false, false),
        ("W/\"1\"", "\"1\"", false, true), ("\"1\"", "\"1\"", true, true),
    ])
    func `compares as in the standard's table`(left: String, right: String, strong: Bool, weak: Bool) throws {
        let (left, right) = (try #require(EntityTag(left)), try #require(EntityTag(right)))
        #expect(left.matchesStrongly(right) == strong)
        #expect(right.matchesStrongly(left) == strong)
        #expect(left.matchesWeakly(right) == weak)
        #expect(right.matchesWeakly(left) == weak)
    }

    @Test func `parses lists`() throws {
        let one = try #require(EntityTag("\"a\""))
        let two = try #require(EntityTag("W/\"b,c\""))
        #expect(EntityTagList("*") == .any)
        #expect(EntityTagList("\"a\"") == .tags([one]))
        #expect(EntityTagList("\"a\", W/\"b,c\"") == .tags([one, two]))
        #expect(EntityTagList(" , \"a\" ,,\tW/\"b,c\",") == .tags([one, two]))
    }

    @Test(arguments: ["", ",", "a", "\"a\" \"b\"", "\"a\", b", "*, \"a\"", "\"a\", *", "\"a\"; x"])
    func `rejects lists with a malformed member`(text: String) {
        #expect(EntityTagList(text) == nil)
    }

    @Test(arguments: [
        ("*", true), ("\"a\"", true), ("W/\"a\"", true), ("\"b\", \"a\"", true), ("\"b\",W/\"a\" , \"c\"", true),
        ("\"a\", broken", true), ("broken, \"a\"", false), ("\"b\"", false), ("a", false), ("\"aa\"", false),
        ("\"\"", false),
        ("", false), ("\"A\"", false),
    ])
    func `finds the current tag in a list`(text: String, found: Bool) {
        let matches = EntityTagList.weaklyMatches(text.utf8Span.span, current: EntityTag("\"a\""))
        #expect(matches == found)
    }

    @Test func `matches a representation without a tag only by a star`() {
        let star = EntityTagList.weaklyMatches("*".utf8Span.span, current: nil)
        let tag = EntityTagList.weaklyMatches("\"a\"".utf8Span.span, current: nil)
        #expect(star)
        #expect(!tag)
    }
}
