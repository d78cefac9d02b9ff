import HostileTestSupport
import ImagePlan
import Testing

/// Data hidden in needed parts of an image, beyond their defined content.
@Suite(.timeLimit(.minutes(1)))
struct HiddenDataTests {
    private typealias Build = HeaderBuilder
    private static let secret = Build.text("GPS 52.5N 13.4E")

    private func clean(_ bytes: [UInt8], _ format: ImageFormat) throws(MetadataCleaner.Stop) -> [UInt8] {
        try MetadataCleaner.clean(bytes.span, as: ImageHeader(format: format, width: 5, height: 3))
    }

    private static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
        [0xFF, marker] + Build.big(content.count + 2, 2) + content
    }

    private static let frame = segment(0xC0, [8, 0, 3, 0, 5, 1, 1, 0x11, 0])
    private static let scan = segment(0xDA, [1, 1, 0, 0, 63, 0])

    @Test(
        arguments: [
            (0xDB, [0] + [UInt8](repeating: 1, count: 64)), (0xDD, [0, 4]),
            (0xC4, [0, 1] + [UInt8](repeating: 0, count: 15) + [9]),
            (0xCC, [0, 1]), (0xC0, [8, 0, 3, 0, 5, 1, 1, 0x11, 0]), (0xDA, [1, 1, 0, 0, 63, 0]),
        ] as [(UInt8, [UInt8])]
    )
    func `rejects extra data in a JPEG segment`(marker: UInt8, content: [UInt8]) throws {
        let isFrame = marker == 0xC0
        let start = [0xFF, 0xD8] + (isFrame ? [] : Self.frame)
        let end = (marker == 0xDA ? [] : Self.scan) + [1, 2, 0xFF, 0xD9]
        let right = start + Self.segment(marker, content) + end
        #expect(try clean(right, .jpeg) == right)
        // An odd number, so that it is not a whole number of tables, components or conditionings.
        #expect(throws: MetadataCleaner.Stop.self) {
            try clean(start + Self.segment(marker, content + Self.secret) + end, .jpeg)
        }
    }

    @Test func `drops reserved JPEG segments`() throws {
        let file = [0xFF, 0xD8] + Self.segment(0xC8, Self.secret) + Self.segment(0xF7, Self.secret) + Self.frame
        let end: [UInt8] = Self.scan + [1, 2, 0xFF, 0xD9]
        #expect(try clean(file + end, .jpeg) == [0xFF, 0xD8] + Self.frame + end)
    }

    @Test func `fill bytes do not end a JPEG's coded data`() throws {
        let start = [0xFF, 0xD8] + Self.frame + Self.scan
        let file = start + [1, 0xFF, 0xFF, 0, 2, 0xFF, 0xFF, 0xFF, 0xD0, 3, 0xFF, 0xD9]
        #expect(try clean(file, .jpeg) == file)
        #expect(try clean(start + [1, 0xFF, 0xFF, 0xD9], .jpeg) == start + [1, 0xFF, 0xD9])
    }

    @Test(arguments: ["gAMA", "cHRM", "sRGB", "pHYs", "sBIT", "bKGD", "acTL"])
    func `drops PNG chunks of an invalid length`(name: String) throws {
        let file = Build.png(width: 5, height: 3)
        let long = Self.secret + Self.secret + Self.secret
        #expect(try clean(Array(file[..<33]) + Build.chunk(name, long) + file[33...], .png) == file)
    }

    @Test func `rejects critical PNG chunks of an invalid length`() {
        let file = Build.png(width: 5, height: 3)
        let palette = Build.chunk("PLTE", [UInt8](repeating: 1, count: 769))
        #expect(throws: MetadataCleaner.Stop.self) { try clean(Array(file[..<33]) + palette + file[33...], .png) }
        #expect(throws: MetadataCleaner.Stop.self) {
            try clean(Array(file.dropLast(12)) + Build.chunk("IEND", Self.secret), .png)
        }
    }

    @Test func `drops extra sub-blocks of GIF control and loop blocks`() throws {
        let file = Build.gif(width: 5, height: 3, frames: 1)
        let start = 13 + 12
        let loop = Array(file[start..<start + 19])
        let hidden = [UInt8(Self.secret.count)] + Self.secret
        let control: [UInt8] = [0x21, 0xF9, 4, 0, 5, 0, 0, 0]
        let long = loop.dropLast() + hidden + [0] + control.dropLast() + hidden + [0]
        #expect(try clean(Array(file[..<start]) + long + file[(start + 19)...], .gif) == file)
    }

    @Test func `a GIF may lack its trailer, but no part of a frame`() throws {
        let file = Build.gif(width: 5, height: 3, frames: 2)
        #expect(try clean(file.dropLast(), .gif) == file)
        #expect(throws: MetadataCleaner.Stop.broken("the file is truncated")) { try clean(file.dropLast(2), .gif) }
    }

    @Test func `cuts WebP headers to the length that the format defines`() throws {
        let head = Build.webpExtended(flags: 2, width: 5, height: 3)
        let picture = Build.vp8l(width: 5, height: 3, alpha: false)
        let pixels = Build.text(picture.type) + Build.little(picture.content.count, 4) + picture.content + [0]
        let frame: (type: String, content: [UInt8]) = ("ANMF", [UInt8](repeating: 0, count: 16) + pixels)
        let control = [UInt8](repeating: 0, count: 6)
        let file = Build.riff([("VP8X", head.content + Self.secret), ("ANIM", control + Self.secret), frame])
        #expect(try clean(file, .webp) == Build.riff([head, ("ANIM", control), frame]))
    }
}
