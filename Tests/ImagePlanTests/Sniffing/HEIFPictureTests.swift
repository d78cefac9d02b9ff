import HostileTestSupport
import Testing

@testable import ImagePlan

/// What a HEIF file states about the samples of its primary item.
@Suite(.timeLimit(.minutes(1)))
struct HEIFPictureTests {
    private typealias Build = HeaderBuilder

    /// A file of items with a size and other properties; number 1 is the primary item.
    private func file(_ items: [(number: Int, properties: [[UInt8]])], references: [UInt8] = []) -> [UInt8] {
        var list = Build.box("ispe", Build.big(0, 4) + Build.big(8, 4) + Build.big(6, 4))
        var map = Build.big(0, 4) + Build.big(items.count, 4)
        var index = 1
        for (number, properties) in items {
            map += Build.big(number, 2) + Build.big(properties.count + 1, 1) + [0x81]
            for property in properties {
                index += 1
                list += property
                map += Build.big(0x80 | index, 1)
            }
        }
        let container = Build.box("iprp", Build.box("ipco", list) + Build.box("ipma", map))
        let primary = Build.box("pitm", Build.big(0, 4) + Build.big(1, 2))
        let brands = Build.text("avif") + Build.big(0, 4) + Build.text("mif1avif")
        return Build.box("ftyp", brands) + Build.box("meta", Build.big(0, 4) + primary + references + container)
    }

    @Test func `a prem reference of the primary item means that its colours are multiplied by alpha`() {
        func reference(_ type: String, from item: Int, bytes: Int = 2) -> [UInt8] {
            let content = Build.big(item, bytes) + Build.big(1, 2) + Build.big(2, bytes)
            // Version 1 has identifiers of 32 bits.
            return Build.box("iref", Build.big(bytes == 4 ? 1 << 24 : 0, 4) + Build.box(type, content))
        }
        let cases: [(references: [UInt8], expected: Bool)] = [
            ([], false), (reference("prem", from: 1), true), (reference("prem", from: 1, bytes: 4), true),
            (reference("prem", from: 2), false), (reference("auxl", from: 1), false),
            // Too short for a version, for an item, and longer than its container.
            (Build.box("iref", [0, 0]), false), (Build.box("iref", Build.big(0, 4) + Build.box("prem", [0])), false),
            (Build.box("iref", Build.big(0, 4) + Build.big(99, 4) + Build.text("prem")), false),
        ]
        for (references, expected) in cases {
            let picture = HEIFPicture(file([(1, []), (2, [])], references: references).span)
            #expect(picture?.isPremultiplied == expected, "\(references)")
        }
    }
}
