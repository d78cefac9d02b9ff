import HTTPSemantics
import Testing

@testable import HTTPCache

@Suite(.timeLimit(.minutes(1)))
struct StoredPartsTests {
    private static let text = Array("0123456789".utf8)

    private func parts(_ ranges: [Range<Int>], of length: Int = 10) -> StoredParts? {
        StoredParts(ranges.map { StoredParts.Part(offset: $0.lowerBound, bytes: Array(Self.text[$0])) }, of: length)
    }

    private func merge(_ ranges: [Range<Int>]) throws -> StoredParts {
        var merged = try #require(parts([ranges[0]]))
        for range in ranges.dropFirst() {
            let part = try #require(parts([range]))
            merged = try #require(merged.merging(part))
        }
        return merged
    }

    @Test(
        arguments: [
            ([0..<2, 4..<6], [0..<2, 4..<6]), ([4..<6, 0..<2], [0..<2, 4..<6]), ([0..<2, 2..<4], [0..<4]),
            ([2..<4, 0..<2], [0..<4]), ([0..<4, 2..<6], [0..<6]), ([2..<6, 0..<4], [0..<6]), ([0..<8, 2..<4], [0..<8]),
            ([2..<4, 0..<8], [0..<8]), ([0..<2, 4..<6, 2..<4], [0..<6]), ([0..<2, 8..<10, 4..<5, 1..<9], [0..<10]),
        ] as [([Range<Int>], [Range<Int>])]
    )
    func `parts that overlap or touch are joined`(added: [Range<Int>], joined: [Range<Int>]) throws {
        let merged = try merge(added)
        #expect(merged.parts.map(\.range) == joined)
        for part in merged.parts { #expect(part.bytes == Array(Self.text[part.range])) }
        #expect(merged.whole == (joined == [0..<10] ? Self.text : nil))
    }

    @Test(
        arguments: [
            ([0..<2], 2..<10), ([8..<10], 0..<8), ([0..<2, 8..<10], 2..<8), ([4..<6], 0..<10),
            ([0..<2, 4..<6], 2..<10),
            ([0..<2, 4..<6, 8..<10], 2..<8), ([0..<10], 0..<0),
        ] as [([Range<Int>], Range<Int>)]
    )
    func `the missing bytes reach from the first to the last unknown one`(known: [Range<Int>], missing: Range<Int>)
        throws
    {
        let stored = try #require(self.parts(known))
        #expect(stored.missing.count == missing.count && (missing.isEmpty || stored.missing == missing))
        guard !missing.isEmpty else { return }
        let rest = StoredParts.Part(offset: missing.lowerBound, bytes: Array(Self.text[missing]))
        #expect(stored.completed(by: rest) == Self.text)
        let short = StoredParts.Part(offset: missing.lowerBound, bytes: Array(Self.text[missing].dropLast()))
        #expect(stored.completed(by: short) == nil)
    }

    @Test func `different bytes at the same offset are not joined`() throws {
        let known = try #require(parts([2..<6]))
        let other = try #require(StoredParts([StoredParts.Part(offset: 4, bytes: Array("4X67".utf8))], of: 10))
        #expect(known.merging(other) == nil)
        #expect(
            known.completed(by: StoredParts.Part(offset: 0, bytes: Array("012345678X".utf8))) == Self.text.dropLast()
                + [0x58]
        )
        #expect(known.completed(by: StoredParts.Part(offset: 0, bytes: Array("01X3456789".utf8))) == nil)
        let longer = try #require(parts([6..<8], of: 11))
        #expect(known.merging(longer) == nil)
    }

    @Test(
        arguments: [[], [0..<0], [0..<2, 2..<4], [2..<4, 0..<1], [0..<3, 1..<4]] as [[Range<Int>]]
    )
    func `a list that is empty, unordered or not joined is no list of parts`(ranges: [Range<Int>]) {
        #expect(parts(ranges) == nil)
    }

    @Test func `a part beyond the end is none`() {
        #expect(parts([8..<10], of: 9) == nil)
        #expect(StoredParts([StoredParts.Part(offset: .max, bytes: [1])], of: 9) == nil)
    }

    @Test func `number and size are bounded, and the newest part is kept`() throws {
        let length = 1 << 40
        func one(_ offset: Int, _ count: Int = 1) throws -> StoredParts {
            try #require(
                StoredParts([StoredParts.Part(offset: offset, bytes: [UInt8](repeating: 7, count: count))], of: length)
            )
        }
        var many = try one(0)
        for number in 1..<100 { many = try #require(many.merging(try one(number * 2))) }
        #expect(many.parts.count == StoredParts.maximumCount && many.part(holding: 198..<199) != nil)
        // A new part with the lowest offset is kept, too.
        many = try #require(many.merging(try one(0)))
        #expect(many.parts.count == StoredParts.maximumCount && many.part(holding: 0..<1) != nil)

        let half = StoredParts.maximumBytes / 2 + 1
        var large = try #require(try one(0, half).merging(try one(1 << 30, half)))
        #expect(large.parts.map(\.offset) == [1 << 30])
        // Joined with the stored one it would be too large.
        large = try #require(large.merging(try one(1 << 30 + half, half)))
        #expect(large.parts.map(\.offset) == [1 << 30 + half] && large.byteCount == half)
        #expect(
            StoredParts([StoredParts.Part(offset: 0, bytes: [UInt8](repeating: 7, count: 2 * half))], of: length) == nil
        )
    }

    @Test(
        arguments: [
            (["ETag: \"a\""], true), (["ETag: W/\"a\""], false), (["ETag: a"], false), ([], false),
            (["Last-Modified: Tue, 14 Nov 2023 22:12:20 GMT", "Date: Tue, 14 Nov 2023 22:13:20 GMT"], true),
            (["Last-Modified: Tue, 14 Nov 2023 22:12:21 GMT", "Date: Tue, 14 Nov 2023 22:13:20 GMT"], false),
            (["Last-Modified: Tue, 14 Nov 2023 22:12:20 GMT"], false), (["Last-Modified: 0", "Date: 0"], false),
            (
                [
                    "ETag: W/\"a\"", "Last-Modified: Tue, 14 Nov 1995 22:12:20 GMT",
                    "Date: Tue, 14 Nov 2023 22:13:20 GMT",
                ], false
            ),
        ] as [([String], Bool)]
    )
    func `a strong tag, or a date well before the response, is a strong validator`(fields: [String], isStrong: Bool) {
        let lines = FieldLines(fields.compactMap { FieldLine(line: $0.utf8) })
        #expect((StrongValidator(lines, now: 1_700_000_000) != nil) == isStrong)
    }
}
