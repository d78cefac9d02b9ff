import HTTPSemantics
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ContentRangeTests {
    @Test(
        arguments: [
            ("bytes 0-0/1", 0..<1, 1), ("bytes 2-5/10", 2..<6, 10), ("BYTES 0-9/10", 0..<10, 10),
            ("bytes 0-1/999999999999999999", 0..<2, 999_999_999_999_999_999),
        ] as [(String, Range<Int>, Int)]
    )
    func `parses the range and the complete length`(text: String, range: Range<Int>, length: Int) {
        let parsed = ContentRange(text)
        #expect(parsed?.range == range && parsed?.length == length)
    }

    @Test(arguments: [
        "", "bytes", "bytes 0-4", "bytes 0-4/*", "bytes */10", "bytes 5-4/10", "bytes 0-10/10", "bytes 0-9/9",
        "bytes=0-4/10", "bytes  0-4/10", "bytes 0-4/10 ", "bytes 0-4/10, bytes 5-9/10", "items 0-4/10", "bytes -4/10",
        "bytes 0-/10", "bytes 0-4/", "bytes +0-4/10", "bytes 0-4/1000000000000000000",
        "bytes 0-99999999999999999999/999999999999999999999",
    ])
    func `rejects what states no range of a known length`(text: String) {
        #expect(ContentRange(text) == nil)
    }
}
