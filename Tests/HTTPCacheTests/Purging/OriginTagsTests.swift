import Testing

@testable import HTTPCache

@Suite(.timeLimit(.minutes(1)))
struct OriginTagsTests {
    @Test(
        arguments: [
            ("a,b, c", ["a", "b", "c"]), ("a b\tc", ["a", "b", "c"]), ("a, b b ,a", ["a", "b"]), ("", []), (" , ,", []),
            ("product/17:de", ["product/17:de"]), ("größe", ["größe"]),
        ] as [(String, [String])]
    )
    func `commas and spaces separate tags, and each counts once`(fields: String, tags: [String]) {
        #expect(OriginTags.parse(fields) == tags)
    }

    @Test func `number and length are bounded`() {
        let many = (0..<1_000).map { "t\($0)" }
        #expect(OriginTags.parse(many.joined(separator: " ")) == Array(many.prefix(OriginTags.maximumCount)))
        let long = String(repeating: "x", count: OriginTags.maximumLength + 1)
        #expect(OriginTags.parse("a \(long) b") == ["a", "b"])
        #expect(OriginTags.parse(String(long.dropFirst())) == [String(long.dropFirst())])
    }

    @Test(arguments: [("a", true), ("a b", false), ("a,", false), ("", false), (" a", false)])
    func `accepts only tags that an origin can send`(text: String, isTag: Bool) {
        #expect(OriginTags.isTag(text) == isTag)
    }
}
