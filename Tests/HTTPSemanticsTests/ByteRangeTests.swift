import HTTPSemantics
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ByteRangeTests {
    @Test(arguments: [
        ("bytes=0-499", ByteRange.closed(0, 499)), ("bytes=500-", .from(500)), ("bytes=-500", .suffix(500)),
        ("BYTES=0-0", .closed(0, 0)), ("bytes= 0-1", .closed(0, 1)), ("bytes=,0-1 ,", .closed(0, 1)),
        ("bytes=-0", .suffix(0)),
        ("bytes=007-8", .closed(7, 8)), ("bytes=0-99999999999999999999", .closed(0, Int.max - 1)),
        ("bytes=99999999999999999999-", .from(Int.max - 1)),
    ])
    func `parses a single range`(text: String, expected: ByteRange) {
        #expect(ByteRange(text) == expected)
    }

    @Test(arguments: [
        "", "bytes", "bytes=", "bytes=-", "bytes=a-b", "bytes=1-a", "bytes=5-4", "bytes=0-1,3-4", "bytes=0-1,-1",
        "bytes 0-1",
        "bytes =0-1", "bytes=0 -1", "bytes=0- 1", "bytes=0-1 2", "bytes=--1", "bytes=1--", "bytes=+1-2", "items=0-1",
        "0-1",
        "bytes=0-1;", "bytes=0x1-2", "bytes=*",
    ])
    func `ignores anything but a single byte range`(text: String) {
        #expect(ByteRange(text) == nil)
    }

    @Test(arguments: [
        (ByteRange.closed(0, 499), 1_000, 0..<500 as Range<Int>?), (.closed(0, 999), 1_000, 0..<1_000),
        (.closed(0, 1_000), 1_000, 0..<1_000), (.closed(999, 5_000), 1_000, 999..<1_000),
        (.closed(1_000, 1_001), 1_000, nil),
        (.from(0), 1_000, 0..<1_000), (.from(999), 1_000, 999..<1_000), (.from(1_000), 1_000, nil), (.from(0), 0, nil),
        (.suffix(1), 1_000, 999..<1_000), (.suffix(5_000), 1_000, 0..<1_000), (.suffix(0), 1_000, nil),
        (.suffix(1), 0, nil),
        (.closed(0, Int.max - 1), 10, 0..<10), (.from(Int.max - 1), 10, nil),
    ])
    func `resolves a range against a length`(range: ByteRange, length: Int, expected: Range<Int>?) {
        #expect(range.resolve(length: length) == (expected.map { .satisfiable($0) } ?? .unsatisfiable))
    }

    @Test func `writes Content-Range`() {
        #expect(ByteRange.contentRange(0..<500, of: 1_234) == "bytes 0-499/1234")
        #expect(ByteRange.contentRange(1_233..<1_234, of: 1_234) == "bytes 1233-1233/1234")
        #expect(ByteRange.contentRange(unsatisfiedOf: 1_234) == "bytes */1234")
    }
}

@Suite(.timeLimit(.minutes(1)))
struct IfRangeTests {
    @Test(arguments: [
        ("\"a\"", "\"a\"", true), ("\"b\"", "\"a\"", false), ("W/\"a\"", "\"a\"", false), ("\"a\"", "W/\"a\"", false),
        ("a", "\"a\"", false), ("*", "\"a\"", false), ("\"a\", \"b\"", "\"a\"", false),
    ])
    func `compares tags strongly`(field: String, current: String, holds: Bool) {
        let tag = EntityTag(current)
        #expect(IfRange.holds(field, entityTag: tag, lastModified: nil, now: 1_000) == holds)
        #expect(!IfRange.holds(field, entityTag: nil, lastModified: nil, now: 1_000))
    }

    @Test(arguments: [
        (784_111_777 as Int64?, 784_111_778 as Int64, true), (784_111_777, 784_111_777, false),
        (784_111_776, 800_000_000, false), (784_111_778, 800_000_000, false), (nil, 800_000_000, false),
    ])
    func `accepts only the exact date, and only if it is old enough`(lastModified: Int64?, now: Int64, holds: Bool) {
        let field = "Sun, 06 Nov 1994 08:49:37 GMT"
        #expect(IfRange.holds(field, entityTag: EntityTag("\"a\""), lastModified: lastModified, now: now) == holds)
    }
}
