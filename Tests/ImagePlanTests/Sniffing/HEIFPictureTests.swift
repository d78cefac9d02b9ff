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

    @Test func `one channel of the limited range is known by codec and colour description`() {
        func colour(_ flag: [UInt8]) -> [UInt8] { Build.box("colr", Build.text("nclx") + [0, 1, 0, 13, 0, 6] + flag) }
        func av1(_ flags: UInt8) -> [UInt8] { Build.box("av1C", [0x81, 0x01, flags, 0]) }
        func hevc(_ format: UInt8) -> [UInt8] { Build.box("hvcC", [UInt8](repeating: 1, count: 16) + [0xFC | format]) }
        let auxiliary = Build.box("auxC", Build.big(0, 4) + Build.text("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha"))
        let (limited, full) = (colour([0]), colour([0x80]))
        let cases: [(name: String, items: [(number: Int, properties: [[UInt8]])], expected: Bool)] = [
            ("AV1", [(1, [av1(0x1C), limited])], true),
            ("AV1 of 12 bits", [(1, [av1(0x7C), limited])], true),
            ("HEVC", [(1, [hevc(0), limited])], true),
            ("the full range", [(1, [av1(0x1C), full])], false),
            ("no range", [(1, [av1(0x1C), colour([])])], false),
            ("no description", [(1, [av1(0x1C)])], false),
            ("three channels", [(1, [av1(0x0C), limited])], false),
            ("three channels of HEVC", [(1, [hevc(1), limited])], false),
            ("alpha of one channel", [(1, [av1(0), limited]), (2, [av1(0x1C), auxiliary])], false),
            ("a grid", [(1, [limited]), (2, [av1(0x1C)]), (3, [av1(0x1C)])], true),
            ("a grid of three channels", [(1, [limited]), (2, [av1(0)]), (3, [av1(0x1C), auxiliary])], false),
            (
                "a grid with an auxiliary image of three channels",
                [(1, [limited]), (2, [av1(0x1C)]), (3, [av1(0x0C), auxiliary])], true
            ),
            ("a short box", [(1, [Build.box("av1C", [0x81]), Build.box("hvcC", []), limited])], false),
        ]
        for (name, items, expected) in cases {
            let picture = HEIFPicture(file(items).span)
            #expect(picture?.isLimitedGrey == expected, "\(name)")
        }
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
