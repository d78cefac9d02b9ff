import TestSupport
import Testing

@testable import ImageWorker

@Suite(.timeLimit(.minutes(1)))
struct ExifDimensionsTests {
    /// A block whose Exif IFD states the size 1 × 1, the width as SHORT and the height as LONG.
    private static func block(isLittle: Bool, width: Int = 1, height: Int = 1) -> [UInt8] {
        func number(_ value: Int, _ count: Int) -> [UInt8] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
            return isLittle ? bytes : bytes.reversed()
        }
        func entry(_ tag: Int, _ type: Int, _ value: [UInt8]) -> [UInt8] {
            number(tag, 2) + number(type, 2) + number(1, 4) + value + [UInt8](repeating: 0, count: 4 - value.count)
        }
        let header = Array((isLittle ? "II" : "MM").utf8) + number(42, 2) + number(8, 4)
        let main = number(1, 2) + entry(0x8769, 4, number(26, 4)) + number(0, 4)
        let exif =
            number(2, 2) + entry(0xA002, 3, number(width, 2)) + entry(0xA003, 4, number(height, 4)) + number(0, 4)
        return header + main + exif
    }

    @Test(arguments: [true, false], ["", "Exif\0\0"])
    func `both sides are set in either byte order`(isLittle: Bool, prefix: String) {
        var block = Array(prefix.utf8) + Self.block(isLittle: isLittle)
        ExifDimensions.set(&block, width: 700, height: 70_000)
        #expect(block == Array(prefix.utf8) + Self.block(isLittle: isLittle, width: 700, height: 70_000))
        // Too large for a SHORT, which stays.
        ExifDimensions.set(&block, width: 70_000, height: 5)
        #expect(block == Array(prefix.utf8) + Self.block(isLittle: isLittle, width: 700, height: 5))
    }

    @Test func `truncated blocks are harmless`() {
        let whole = Self.block(isLittle: true)
        for count in 0..<whole.count {
            var block = Array(whole.prefix(count))
            ExifDimensions.set(&block, width: 9, height: 9)
            #expect(block.count == count)
        }
    }
}
