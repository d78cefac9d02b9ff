import TestSupport
import Testing

@testable import ImagePlan

/// The size of a HEIF file's primary item.
@Suite(.timeLimit(.minutes(1)))
struct HEIFItemDataTests {
    private func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
        let length = UInt32(content.count + 8)
        return (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) } + Array(type.utf8) + content
    }

    /// A file with one item, number 1, and the given content of `iloc`.
    private func file(places: [UInt8], data: Int = 40) -> [UInt8] {
        let primary = box("pitm", [0, 0, 0, 0, 0, 1])
        return box("ftyp", Array("avif".utf8) + [0, 0, 0, 0] + Array("avifmif1".utf8))
            + box("meta", [0, 0, 0, 0] + primary + box("iloc", places))
            + box("mdat", [UInt8](repeating: 7, count: data))
    }

    private func length(_ bytes: [UInt8]) -> Int { HEIFItemData.primaryLength(bytes.span) }

    @Test func `adds up the extents of the primary item`() {
        // §8.11.3.2: version 0, offsets and lengths of four bytes, one item of two extents.
        let places: [UInt8] = [
            0, 0, 0, 0, 0x44, 0, 0, 1, 0, 1, 0, 0, 0, 2, 0, 0, 0, 60, 0, 0, 0, 5, 0, 0, 0, 70, 0, 0, 0, 9,
        ]
        #expect(length(file(places: places)) == 14)
        // Version 1 with a base offset of eight bytes, after an item that is not the primary one.
        let later: [UInt8] =
            [1, 0, 0, 0, 0x44, 0x80, 0, 2, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 50, 0, 0]
            + [0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 50, 0, 1, 0, 0, 0, 9, 0, 0, 0, 6]
        #expect(length(file(places: later)) == 6)
    }

    @Test func `returns 0 if there is no data`() {
        #expect(
            length(file(places: [0, 0, 0, 0, 0x44, 0x40, 0, 0], data: 0)) == 0,
            "as written by libheif when out of memory"
        )
        let far: [UInt8] = [0, 0, 0, 0, 0x44, 0, 0, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 60, 0, 0, 1, 0]
        #expect(length(file(places: far)) == 0, "beyond the file's end")
        #expect(length(Array("no boxes".utf8)) == 0 && length([]) == 0)
    }

    @Test func `never reads out of bounds`() {
        let places: [UInt8] = [
            1, 0, 0, 0, 0x44, 0x44, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 60, 0, 0, 0, 5,
        ]
        let whole = file(places: places)
        for count in 0..<whole.count { _ = length(Array(whole.prefix(count))) }
        for index in whole.indices {
            for value: UInt8 in [0, 1, 2, 0x80, 0xFF] {
                var bytes = whole
                bytes[index] = value
                _ = length(bytes)
            }
        }
    }

    @Test(.enabled(if: SharedImages.isAvailable, "needs ../shared/images"))
    func `finds the data of a photograph`() throws {
        let bytes = try #require(SharedImages.bytes("fox-10bit.avif"))
        #expect(length(bytes) > bytes.count / 2 && length(bytes) < bytes.count)
    }
}
