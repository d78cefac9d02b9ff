import ImagePlan
import TestSupport
import Testing

@testable import ImagePlan

@Suite(.timeLimit(.minutes(1)))
struct CameraFactsTests {
    /// The value of an entry: type, count, bytes.
    private struct Value {
        var type: Int
        var count: Int
        var bytes: [UInt8]
    }

    private static func bytes(_ number: Int, _ count: Int, _ isBig: Bool) -> [UInt8] {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        return isBig ? bytes.reversed() : bytes
    }

    private static func text(_ text: String) -> Value {
        Value(type: 2, count: text.utf8.count + 1, bytes: Array(text.utf8) + [0])
    }

    private static func fraction(_ top: Int, _ bottom: Int, _ isBig: Bool) -> Value {
        Value(type: 5, count: 1, bytes: bytes(top, 4, isBig) + bytes(bottom, 4, isBig))
    }

    /// A directory at an offset, followed by its values.
    private static func directory(_ entries: [(Int, Value)], at start: Int, _ isBig: Bool) -> [UInt8] {
        var head = bytes(entries.count, 2, isBig)
        var tail: [UInt8] = []
        let behind = start + 2 + 12 * entries.count + 4
        for (tag, value) in entries {
            head += bytes(tag, 2, isBig) + bytes(value.type, 2, isBig) + bytes(value.count, 4, isBig)
            if value.bytes.count <= 4 {
                head += value.bytes + [UInt8](repeating: 0, count: 4 - value.bytes.count)
            } else {
                head += bytes(behind + tail.count, 4, isBig)
                tail += value.bytes
            }
        }
        return head + bytes(0, 4, isBig) + tail
    }

    /// A block as written by a camera, with a GPS directory.
    static func block(isBig: Bool) -> [UInt8] {
        let exifAt = 200
        let gpsAt = 500
        func pointer(_ offset: Int) -> Value { Value(type: 4, count: 1, bytes: bytes(offset, 4, isBig)) }
        let start: [UInt8] = isBig ? [0x4D, 0x4D, 0, 42, 0, 0, 0, 8] : [0x49, 0x49, 42, 0, 8, 0, 0, 0]
        var block = start
        block += directory(
            [
                (0x010F, text("Edge")), (0x0110, text("Print \"One\"  ")), (0x8769, pointer(exifAt)),
                (0x8825, pointer(gpsAt)),
            ],
            at: 8,
            isBig
        )
        block += [UInt8](repeating: 0, count: exifAt - block.count)
        block += directory(
            [
                (0x829A, fraction(10, 2500, isBig)), (0x829D, fraction(28, 10, isBig)),
                (0x8827, Value(type: 3, count: 1, bytes: bytes(400, 2, isBig))),
                (0x9003, text("2024:05:01 12:30:45")), (0x9011, text("+02:00")),
                (0x920A, fraction(50, 1, isBig)), (0xA434, text("50mm F2.8")), (0xA431, text("SERIAL-1")),
            ],
            at: exifAt,
            isBig
        )
        block += [UInt8](repeating: 0, count: gpsAt - block.count)
        block += directory([(0x001D, text("GPS-DATE"))], at: gpsAt, isBig)
        return block
    }

    @Test(arguments: [true, false])
    func `reports camera settings, but no location or author`(isBig: Bool) {
        for front in [[], Array("Exif\0\0".utf8)] {
            let members = CameraFacts(exif: front + Self.block(isBig: isBig)).members.joined(separator: ",")
            let expected = #"""
                "make":"Edge","model":"Print \"One\"","lens":"50mm F2.8","taken":"2024-05-01T12:30:45+02:00",\#
                "exposure":"1/250","aperture":2.8,"iso":400,"focalLength":50
                """#
            #expect(members == expected)
        }
    }

    @Test func `reads the intact fields of a damaged block`() {
        let block = Self.block(isBig: true)
        for length in 0..<block.count { _ = CameraFacts(exif: Array(block[..<length])).members }
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<2000 {
            var damaged = block
            for _ in 0..<4 {
                damaged[Int.random(in: 8..<400, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            #expect(CameraFacts(exif: damaged).members.count <= 8)
        }
        #expect(CameraFacts(exif: []).isEmpty)
    }
}
