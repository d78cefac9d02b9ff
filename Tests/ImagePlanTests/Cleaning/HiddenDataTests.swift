import ImagePlan
import Testing

/// Bytes that hide in parts which a picture needs, behind what these say.
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
    func `a JPEG's segment holds what it says and no more`(marker: UInt8, content: [UInt8]) throws {
        let isFrame = marker == 0xC0
        let start = [0xFF, 0xD8] + (isFrame ? [] : Self.frame)
        let end = (marker == 0xDA ? [] : Self.scan) + [1, 2, 0xFF, 0xD9]
        let right = start + Self.segment(marker, content) + end
        #expect(try clean(right, .jpeg) == right)
        // An odd number: no table, no component and no pair of conditions is made of it.
        #expect(throws: MetadataCleaner.Stop.self) {
            try clean(start + Self.segment(marker, content + Self.secret) + end, .jpeg)
        }
    }

    @Test func `a JPEG's reserved segments go`() throws {
        let file = [0xFF, 0xD8] + Self.segment(0xC8, Self.secret) + Self.segment(0xF7, Self.secret) + Self.frame
        let end: [UInt8] = Self.scan + [1, 2, 0xFF, 0xD9]
        #expect(try clean(file + end, .jpeg) == [0xFF, 0xD8] + Self.frame + end)
    }

    @Test func `fill bytes within a JPEG's coded data end nothing`() throws {
        let start = [0xFF, 0xD8] + Self.frame + Self.scan
        let file = start + [1, 0xFF, 0xFF, 0, 2, 0xFF, 0xFF, 0xFF, 0xD0, 3, 0xFF, 0xD9]
        #expect(try clean(file, .jpeg) == file)
        #expect(try clean(start + [1, 0xFF, 0xFF, 0xD9], .jpeg) == start + [1, 0xFF, 0xD9])
    }

    @Test(arguments: ["gAMA", "cHRM", "sRGB", "pHYs", "sBIT", "bKGD", "acTL"])
    func `a PNG's chunk of another length than it has is left out`(name: String) throws {
        let file = Build.png(width: 5, height: 3)
        let long = Self.secret + Self.secret + Self.secret
        #expect(try clean(Array(file[..<33]) + Build.chunk(name, long) + file[33...], .png) == file)
    }

    @Test func `a PNG's critical chunks have their lengths`() {
        let file = Build.png(width: 5, height: 3)
        let palette = Build.chunk("PLTE", [UInt8](repeating: 1, count: 769))
        #expect(throws: MetadataCleaner.Stop.self) { try clean(Array(file[..<33]) + palette + file[33...], .png) }
        #expect(throws: MetadataCleaner.Stop.self) {
            try clean(Array(file.dropLast(12)) + Build.chunk("IEND", Self.secret), .png)
        }
    }

    @Test func `a GIF's control and loop blocks have no further sub-blocks`() throws {
        let file = Build.gif(width: 5, height: 3, frames: 1)
        let start = 13 + 12
        let loop = Array(file[start..<start + 19])
        let hidden = [UInt8(Self.secret.count)] + Self.secret
        let control: [UInt8] = [0x21, 0xF9, 4, 0, 5, 0, 0, 0]
        let long = loop.dropLast() + hidden + [0] + control.dropLast() + hidden + [0]
        #expect(try clean(Array(file[..<start]) + long + file[(start + 19)...], .gif) == file)
    }

    @Test func `a GIF may lack its trailer, and no part of a frame`() throws {
        let file = Build.gif(width: 5, height: 3, frames: 2)
        #expect(try clean(file.dropLast(), .gif) == file)
        #expect(throws: MetadataCleaner.Stop.broken("the file ends early")) { try clean(file.dropLast(2), .gif) }
    }

    @Test func `a WebP's headers are as long as this version of the format has them`() throws {
        let head = Build.webpExtended(flags: 2, width: 5, height: 3)
        let picture = Build.vp8l(width: 5, height: 3, alpha: false)
        let pixels = Build.text(picture.type) + Build.little(picture.content.count, 4) + picture.content + [0]
        let frame: (type: String, content: [UInt8]) = ("ANMF", [UInt8](repeating: 0, count: 16) + pixels)
        let control = [UInt8](repeating: 0, count: 6)
        let file = Build.riff([("VP8X", head.content + Self.secret), ("ANIM", control + Self.secret), frame])
        #expect(try clean(file, .webp) == Build.riff([head, ("ANIM", control), frame]))
    }
}
