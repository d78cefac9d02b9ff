import HostileTestSupport
import ImagePlan
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ImageSnifferTests {
    private typealias Build = HeaderBuilder

    private func sniff(_ bytes: [UInt8]) -> SniffResult {
        ImageSniffer.sniff(bytes.span, totalLength: bytes.count)
    }

    @Test(arguments: 1...8)
    func `reads JPEG with each orientation`(orientation: Int) {
        let expected = ImageHeader(format: .jpeg, width: 640, height: 480, orientation: orientation, hasAlpha: false)
        #expect(
            sniff(Build.jpeg(width: 640, height: 480, orientation: orientation, padding: 30_000)) == .image(expected)
        )
    }

    @Test func `ignores a broken orientation`() {
        for orientation in [0, 9, 65_535] {
            let expected = ImageHeader(format: .jpeg, width: 4, height: 3, hasAlpha: false)
            #expect(sniff(Build.jpeg(width: 4, height: 3, orientation: orientation)) == .image(expected))
        }
    }

    @Test func `reads PNG with alpha, frames and orientation`() {
        #expect(
            sniff(Build.png(width: 3, height: 4))
                == .image(ImageHeader(format: .png, width: 3, height: 4, hasAlpha: false))
        )
        #expect(
            sniff(Build.png(width: 3, height: 4, colorType: 6, frames: 12, orientation: 6))
                == .image(ImageHeader(format: .png, width: 3, height: 4, frames: 12, orientation: 6, hasAlpha: true))
        )
        #expect(
            sniff(Build.png(width: 3, height: 4, transparency: true))
                == .image(ImageHeader(format: .png, width: 3, height: 4, hasAlpha: true))
        )
    }

    @Test func `rejects a PNG header with a wrong checksum or invalid values`() {
        var wrongChecksum = Build.png(width: 3, height: 4)
        wrongChecksum[20] ^= 1
        for bytes in [wrongChecksum, Build.png(width: 0, height: 4), Build.png(width: 3, height: 4, colorType: 5)] {
            guard case .malformed(.png, _) = sniff(bytes) else {
                Issue.record("\(sniff(bytes))")
                continue
            }
        }
    }

    @Test func `a PNG with an invalid frame count is a still`() {
        func frames(_ announcements: [[UInt8]], damage: Bool = false) -> Int? {
            let start = 8 + 12 + 13
            var bytes = Build.png(width: 3, height: 4)
            for content in announcements { bytes.insert(contentsOf: Build.chunk("acTL", content), at: start) }
            if damage { bytes[start + 8 + 3] ^= 1 }
            guard case .image(let header) = sniff(bytes) else { return nil }
            return header.frames
        }
        func announcement(_ count: Int) -> [UInt8] { Build.big(count, 4) + Build.big(0, 4) }
        #expect(frames([announcement(7)]) == 7 && frames([announcement(100_000)]) == 100_000)
        for content in [
            announcement(0), announcement(100_001), announcement(0xFFFF_FFFF), announcement(7) + [0], [0, 0],
        ] {
            #expect(frames([content]) == 1, "\(content)")
        }
        #expect(frames([announcement(7), announcement(7)]) == 1)
        #expect(frames([announcement(7)], damage: true) == 1)
    }

    @Test func `counts GIF frames by blocks, whatever their data`() {
        #expect(
            sniff(Build.gif(width: 20, height: 10, frames: 7))
                == .image(ImageHeader(format: .gif, width: 20, height: 10, frames: 7, hasAlpha: false))
        )
        #expect(
            sniff(Build.gif(width: 20, height: 10, frames: 1, transparent: true))
                == .image(ImageHeader(format: .gif, width: 20, height: 10, frames: 1, hasAlpha: true))
        )
    }

    @Test func `a truncated GIF counts the frames seen`() {
        let whole = Build.gif(width: 20, height: 10, frames: 3, trailer: false)
        #expect(
            sniff(Array(whole.dropLast(5)))
                == .image(ImageHeader(format: .gif, width: 20, height: 10, frames: 3, hasAlpha: false))
        )
        guard case .malformed(.gif, _) = sniff(Build.gif(width: 20, height: 10, frames: 0)) else {
            Issue.record("a GIF without a frame is not an image")
            return
        }
    }

    @Test func `reports the largest extent a GIF claims`() {
        // 43 bytes that would make a decoder allocate 14 GB.
        var bytes =
            HeaderBuilder.text("GIF89a") + Build.little(1, 2) + Build.little(1, 2) + [
                0x80, 0, 0, 0, 0, 0, 255, 255, 255,
            ]
        bytes +=
            [0x2C] + Build.little(0, 4) + Build.little(60_000, 2) + Build.little(60_000, 2) + [
                0, 2, 2, 0x44, 1, 0, 0x3B,
            ]
        guard case .image(let header) = sniff(bytes) else {
            Issue.record("\(sniff(bytes))")
            return
        }
        #expect(header.width == 60_000 && header.height == 60_000)
    }

    @Test func `reads the three WebP variants`() {
        #expect(
            sniff(Build.riff([Build.vp8(width: 300, height: 200)]))
                == .image(ImageHeader(format: .webp, width: 300, height: 200, hasAlpha: false))
        )
        #expect(
            sniff(Build.riff([Build.vp8l(width: 16_384, height: 1, alpha: true)]))
                == .image(ImageHeader(format: .webp, width: 16_384, height: 1, hasAlpha: true))
        )
        let exif = Build.tiff([(0x0112, 3, 8)])
        let still = Build.riff([
            Build.webpExtended(flags: 0x18, width: 300, height: 200), ("ALPH", [1, 2, 3]),
            Build.vp8(width: 300, height: 200),
            ("EXIF", Build.text("Exif") + [0, 0] + exif),
        ])
        #expect(
            sniff(still) == .image(ImageHeader(format: .webp, width: 300, height: 200, orientation: 8, hasAlpha: true))
        )
        let frames = [(type: String, content: [UInt8])](repeating: ("ANMF", [UInt8](repeating: 0, count: 25)), count: 5)
        let animation = Build.riff(
            [Build.webpExtended(flags: 0x0A, width: 300, height: 200), ("ANIM", [0, 0, 0, 0, 0, 0])] + frames + [
                ("EXIF", exif)
            ]
        )
        #expect(
            sniff(animation)
                == .image(
                    ImageHeader(format: .webp, width: 300, height: 200, frames: 5, orientation: 8, hasAlpha: false)
                )
        )
    }

    @Test func `checks magic bytes before markup`() {
        let webp = Build.riff([
            Build.vp8(width: 3, height: 2), ("XMP ", Build.text("<svg xmlns='http://www.w3.org/2000/svg'/>")),
        ])
        #expect(sniff(webp) == .image(ImageHeader(format: .webp, width: 3, height: 2, hasAlpha: false)))
    }

    @Test func `reads the primary item of AVIF and HEIC`() {
        #expect(
            sniff(Build.avif(width: 300, height: 200))
                == .image(ImageHeader(format: .avif, width: 300, height: 200, hasAlpha: false))
        )
        #expect(
            sniff(Build.avif(width: 300, height: 200, turns: 1, alpha: true))
                == .image(ImageHeader(format: .avif, width: 300, height: 200, orientation: 8, hasAlpha: true))
        )
        #expect(
            sniff(Build.avif(width: 300, height: 200, turns: 2, brand: "heic"))
                == .image(ImageHeader(format: .heic, width: 300, height: 200, orientation: 3, hasAlpha: false))
        )
    }

    @Test func `camera raw files in TIFF's structure are not TIFF images`() {
        let size = [(tag: 256, type: 3, value: 160), (tag: 257, type: 3, value: 120)]
        // The first directory of NEF and ARW is a preview; DNG and CR2 have marks of their own.
        #expect(sniff(Build.tiff([(254, 4, 1)] + size)) == .unknown)
        #expect(sniff(Build.tiff(size + [(50706, 1, 0x0401)])) == .unknown)
        var canon = Build.tiff(size)
        canon.replaceSubrange(4..<8, with: [16, 0, 0, 0])
        canon.insert(contentsOf: [0x43, 0x52, 0x02, 0, 0, 0, 0, 0], at: 8)
        #expect(sniff(canon) == .unknown)
        let page = ImageHeader(format: .tiff, width: 160, height: 120, hasAlpha: false)
        #expect(sniff(Build.tiff([(254, 4, 2)] + size)) == .image(page))
    }

    @Test func `reads TIFF in both byte orders, and BigTIFF`() {
        for bigEndian in [false, true] {
            let bytes = Build.tiff([(256, 3, 300), (257, 4, 200), (274, 3, 6), (338, 3, 2)], bigEndian: bigEndian)
            let expected = ImageHeader(format: .tiff, width: 300, height: 200, orientation: 6, hasAlpha: true)
            #expect(sniff(bytes) == .image(expected))
        }
        func entry(_ tag: Int, _ value: Int) -> [UInt8] {
            Build.little(tag, 2) + Build.little(16, 2) + Build.little(1, 8) + Build.little(value, 8)
        }
        let big =
            [0x49, 0x49, 0x2B, 0, 8, 0, 0, 0] + Build.little(16, 8) + Build.little(2, 8) + entry(256, 300)
            + entry(257, 200)
        #expect(sniff(big) == .image(ImageHeader(format: .tiff, width: 300, height: 200, hasAlpha: false)))
    }

    @Test func `reads BMP, including top-down rows`() {
        let expected = SniffResult.image(ImageHeader(format: .bmp, width: 30, height: 20, hasAlpha: false))
        #expect(sniff(Build.bmp(width: 30, height: 20)) == expected)
        #expect(sniff(Build.bmp(width: 30, height: -20)) == expected)
    }

    @Test func `trusts an icon's images over its directory`() {
        let bitmap = Array(Build.bmp(width: 32, height: 64).dropFirst(14))
        let icon = Build.ico(pictures: [bitmap, Build.png(width: 5000, height: 4000), bitmap])
        #expect(sniff(icon) == .image(ImageHeader(format: .ico, width: 5000, height: 4000, hasAlpha: true)))
        #expect(
            sniff(Build.ico(pictures: [bitmap]))
                == .image(ImageHeader(format: .ico, width: 32, height: 32, hasAlpha: true))
        )
    }

    @Test func `reads JPEG 2000 and JPEG XL`() {
        #expect(sniff(Build.jp2(width: 300, height: 200)) == .image(ImageHeader(format: .jp2, width: 300, height: 200)))
        #expect(
            sniff(Build.jxl(width: 3000, height: 2000)) == .image(ImageHeader(format: .jxl, width: 3000, height: 2000))
        )
        let container =
            Build.big(12, 4) + [0x4A, 0x58, 0x4C, 0x20, 0x0D, 0x0A, 0x87, 0x0A]
            + Build.box("ftyp", Build.text("jxl ") + Build.big(0, 4) + Build.text("jxl "))
            + Build.box("jxlp", Build.big(0, 4) + Build.jxl(width: 3000, height: 2000))
        #expect(sniff(container) == .image(ImageHeader(format: .jxl, width: 3000, height: 2000)))
        // A small square: height 8 × 4 in five bits, ratio 1:1.
        let small: [UInt8] = [0xFF, 0x0A, 0b0100_0111, 0] + [UInt8](repeating: 0, count: 40)
        #expect(sniff(small) == .image(ImageHeader(format: .jxl, width: 32, height: 32)))
    }

    @Test(arguments: [
        "<svg xmlns='http://www.w3.org/2000/svg'/>", "\u{FEFF}<svg width='1'>", "  \n<svg>",
        "<?xml version='1.0'?><svg>",
        "<?xml version='1.0'?>\n<!-- made < by > hand -->\n<!DOCTYPE svg PUBLIC '-//W3C//DTD SVG 1.1//EN' 'x' [<!ENTITY a 'b'>]>\n<svg\n>",
        "<svg:svg xmlns:svg='http://www.w3.org/2000/svg'/>", "<svg/>",
    ])
    func `detects SVG by its first element`(text: String) {
        #expect(sniff(Array(text.utf8)) == .image(ImageHeader(format: .svg, width: 0, height: 0, hasAlpha: true)))
    }

    @Test(arguments: [
        "", "a", "hello", "<html><body><svg></svg></body></html>", "<!DOCTYPE html><html><svg/></html>", "<svgx>",
        "<svg", "<",
        "<!-- <svg> never ends", "{\"svg\": 1}", "text <svg>", "<?xml version='1.0'?><rss><svg/></rss>",
        "GIF88a..............................",
        "BM is how a text may begin, and this one does", "RIFF....WAVEfmt ..............................", "%PD-1.4",
    ])
    func `does not mistake text for an image`(text: String) {
        #expect(sniff(Array(text.utf8)) == .unknown)
    }

    @Test func `detects PDF, and reports video as unknown`() {
        let pdf = Build.text("%PDF-1.7\n%\u{e2}\u{e3} and more of it, as there always is")
        #expect(sniff(pdf) == .image(ImageHeader(format: .pdf, width: 0, height: 0)))
        let video =
            Build.box("ftyp", Build.text("isom") + Build.big(512, 4) + Build.text("isomiso2mp41"))
            + Build.box("moov", [1, 2, 3])
        #expect(sniff(video) == .unknown)
    }

    @Test func `reports gzip as compressed SVG for the caller to confirm`() {
        let bytes: [UInt8] = [0x1F, 0x8B, 8, 0] + [UInt8](repeating: 0, count: 40)
        #expect(sniff(bytes) == .image(ImageHeader(format: .svgz, width: 0, height: 0, hasAlpha: true)))
        #expect(sniff([0x1F, 0x8B, 7, 0] + bytes.dropFirst(4)) == .unknown)
        #expect(ImageFormat.svgz.mediaType == "image/svg+xml" && ImageFormat.svgz.contentCoding == "gzip")
        for format in ImageFormat.allCases where format != .svgz { #expect(format.contentCoding == nil) }
    }

    /// The third of two associations would be read from the box after them.
    @Test(arguments: [0, 600]) func `rejects entries beyond the end of their box`(padding: Int) throws {
        var bytes = Build.avif(width: 300, height: 200) + [UInt8](repeating: 0, count: padding)
        let type = try #require(bytes.indices.first { bytes[$0...].starts(with: Build.text("ipma")) })
        #expect(bytes[type + 11] == 2)
        bytes[type + 11] = 3
        #expect(sniff(bytes) == .malformed(.avif, "the file is truncated in its header"))
    }
}
