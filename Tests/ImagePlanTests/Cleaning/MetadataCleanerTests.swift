import ImagePlan
import TestSupport
import Testing

/// What cleaning keeps and drops, on files built by hand.
@Suite(.timeLimit(.minutes(1)))
struct MetadataCleanerTests {
    private static let secret = Array("GPS 48.8584N 2.2945E".utf8)

    private func clean(_ bytes: [UInt8]) throws -> [UInt8] {
        guard case .image(let header) = ImageSniffer.sniff(bytes.span, totalLength: bytes.count) else {
            throw MetadataCleaner.Stop.broken("not sniffed")
        }
        return try MetadataCleaner.clean(bytes.span, as: header)
    }

    private func header(_ bytes: [UInt8]) throws -> ImageHeader {
        guard case .image(let header) = ImageSniffer.sniff(bytes.span, totalLength: bytes.count) else {
            throw MetadataCleaner.Stop.broken("not sniffed")
        }
        return header
    }

    private func holds(_ bytes: [UInt8], _ text: [UInt8]) -> Bool {
        bytes.indices.contains { bytes[$0...].starts(with: text) }
    }

    /// A little-endian EXIF block with an orientation, a second directory entry, and a secret after them.
    private static func exif(_ orientation: UInt8) -> [UInt8] {
        [0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0, 0, 0, 0, 0] + secret
    }

    // MARK: JPEG

    private static func segment(_ marker: UInt8, _ body: [UInt8]) -> [UInt8] {
        [0xFF, marker, UInt8((body.count + 2) >> 8), UInt8((body.count + 2) & 255)] + body
    }

    private static let frame = segment(0xC0, [8, 0, 3, 0, 5, 1, 1, 0x11, 0])
    private static let scan = segment(0xDA, [1, 1, 0, 0, 63, 0]) + [1, 2, 0xFF, 0, 3, 0xFF, 0xD0, 4]
    private static let jfif = segment(0xE0, Array("JFIF\0".utf8) + [1, 2, 1, 0, 72, 0, 72, 0, 0])
    private static let profile = segment(0xE2, Array("ICC_PROFILE\0".utf8) + [1, 1] + [UInt8](repeating: 7, count: 40))
    private static let adobe = segment(0xEE, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 1])

    @Test func `a JPEG keeps only image data, colours and orientation`() throws {
        let thumbnail = Array("JFIF\0".utf8) + [1, 2, 1, 0, 72, 0, 72, 1, 1, 9, 9, 9]
        let file =
            [0xFF, 0xD8] + Self.segment(0xE0, thumbnail) + Self.segment(0xE0, Array("JFXX\0".utf8) + Self.secret)
            + Self.segment(0xE1, Array("Exif\0\0".utf8) + Self.exif(6))
            + Self.segment(0xE1, Array("http://ns.adobe.com/xap/1.0/\0".utf8) + Self.secret) + Self.profile
            + Self.segment(0xE2, Array("MPF\0".utf8) + Self.secret) + Self.segment(0xED, Self.secret) + Self.adobe
            + Self.segment(0xFE, Self.secret) + Self.frame + [0xFF] + Self.scan + Self.segment(0xFE, Self.secret)
            + Self.scan + [0xFF, 0xFF, 0xD9] + [0xFF, 0xD8] + Self.secret
        let cleaned = try clean(file)
        let turned = Self.segment(
            0xE1,
            Array("Exif\0\0".utf8)
                + [77, 77, 0, 42, 0, 0, 0, 8, 0, 1, 1, 18, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0]
        )
        #expect(
            cleaned == [0xFF, 0xD8] + Self.jfif + turned + Self.profile + Self.adobe + Self.frame + Self.scan
                + Self.scan + [0xFF, 0xD9]
        )
        #expect(try header(cleaned).orientation == 6)
        #expect(try clean(cleaned) == cleaned)
    }

    @Test func `an upright JPEG has no EXIF block`() throws {
        let file =
            [0xFF, 0xD8] + Self.segment(0xE1, Array("Exif\0\0".utf8) + Self.exif(1)) + Self.frame + Self.scan
            + [0xFF, 0xD9]
        #expect(try clean(file) == [0xFF, 0xD8] + Self.frame + Self.scan + [0xFF, 0xD9])
    }

    @Test func `rejects a JPEG truncated anywhere`() throws {
        let file = [0xFF, 0xD8] + Self.jfif + Self.profile + Self.frame + Self.scan + [0xFF, 0xD9]
        _ = try clean(file)
        for length in 0..<file.count {
            let header = ImageHeader(format: .jpeg, width: 5, height: 3, hasAlpha: false)
            #expect(throws: MetadataCleaner.Stop.self) {
                try MetadataCleaner.clean(Array(file[..<length]).span, as: header)
            }
        }
    }

    // MARK: PNG

    /// A chunk with an arbitrary checksum, which is not checked here.
    private static func chunk(_ type: String, _ body: [UInt8]) -> [UInt8] {
        [0, 0, UInt8(body.count >> 8), UInt8(body.count & 255)] + Array(type.utf8) + body + [1, 2, 3, 4]
    }

    @Test func `a PNG keeps only the chunks its image needs`() throws {
        let whole = TestImages.gradient(width: 5, height: 3)
        // After the signature and IHDR.
        let (start, rest) = (Array(whole[..<33]), Array(whole[33...]))
        let metadata =
            Self.chunk("tEXt", Self.secret) + Self.chunk("iTXt", Self.secret) + Self.chunk("zTXt", Self.secret)
            + Self.chunk("tIME", [1, 2, 3, 4, 5, 6, 7]) + Self.chunk("prVt", Self.secret)
        let profile = Self.chunk("iCCP", [9, 9]) + Self.chunk("pHYs", [UInt8](repeating: 1, count: 9))
        let cleaned = try clean(start + metadata + profile + rest + Self.secret)
        #expect(cleaned == start + profile + rest)
        #expect(!holds(cleaned, Self.secret))
        #expect(try clean(cleaned) == cleaned)
    }

    @Test func `a PNG keeps its orientation`() throws {
        let whole = TestImages.gradient(width: 5, height: 3)
        let cleaned = try MetadataCleaner.clean(
            whole.span,
            as: ImageHeader(format: .png, width: 5, height: 3, orientation: 8, hasAlpha: false)
        )
        #expect(holds(cleaned, Array("eXIf".utf8)))
        #expect(cleaned.count == whole.count + 38)
    }

    @Test func `rejects an unknown critical chunk`() throws {
        let whole = TestImages.gradient(width: 5, height: 3)
        let file = Array(whole[..<33]) + Self.chunk("PRIV", [1]) + Array(whole[33...])
        #expect(throws: MetadataCleaner.Stop.broken("a critical chunk is unknown")) { try clean(file) }
    }

    // MARK: WebP

    private static func riff(_ name: String, _ body: [UInt8]) -> [UInt8] {
        let padding: [UInt8] = body.count & 1 == 1 ? [0] : []
        return Array(name.utf8) + [UInt8(body.count & 255), UInt8(body.count >> 8), 0, 0] + body + padding
    }

    private static func webp(_ chunks: [UInt8]) -> [UInt8] {
        riff("RIFF", Array("WEBP".utf8) + chunks)
    }

    private static let lossless = riff("VP8L", [0x2F, 4, 0x80, 0, 0, 1, 2])

    @Test func `a WebP keeps only frames, profile and orientation`() throws {
        let extended: [UInt8] = [0x2C, 0, 0, 0, 4, 0, 0, 2, 0, 0]
        let turned: [UInt8] = [0x28, 0, 0, 0, 4, 0, 0, 2, 0, 0]
        let profile = Self.riff("ICCP", [5, 5, 5])
        let file = Self.webp(
            Self.riff("VP8X", extended) + profile + Self.lossless + Self.riff("EXIF", Self.exif(3))
                + Self.riff("XMP ", Self.secret) + Self.riff("PRIV", Self.secret)
        )
        let cleaned = try MetadataCleaner.clean(
            (file + Self.secret).span,
            as: ImageHeader(format: .webp, width: 5, height: 3, orientation: 3, hasAlpha: false)
        )
        let exif = Self.riff(
            "EXIF",
            [77, 77, 0, 42, 0, 0, 0, 8, 0, 1, 1, 18, 0, 3, 0, 0, 0, 1, 0, 3, 0, 0, 0, 0, 0, 0]
        )
        #expect(cleaned == Self.webp(Self.riff("VP8X", turned) + profile + Self.lossless + exif))
    }

    @Test func `an animated WebP loses unknown chunks within frames`() throws {
        let header: [UInt8] = [0x02, 0, 0, 0, 4, 0, 0, 2, 0, 0]
        let place = [UInt8](repeating: 0, count: 16)
        func frame(_ chunks: [UInt8]) -> [UInt8] { Self.riff("ANMF", place + chunks) }
        let start = Self.riff("VP8X", header) + Self.riff("ANIM", [0, 0, 0, 0, 0, 0])
        let file = Self.webp(start + frame(Self.lossless + Self.riff("note", Self.secret)) + frame(Self.lossless))
        let cleaned = try MetadataCleaner.clean(
            file.span,
            as: ImageHeader(format: .webp, width: 5, height: 3, frames: 2, hasAlpha: false)
        )
        #expect(cleaned == Self.webp(start + frame(Self.lossless) + frame(Self.lossless)))
    }

    // MARK: GIF

    @Test func `a GIF keeps only frames, control blocks and the loop count`() throws {
        let start = Array("GIF89a".utf8) + [5, 0, 3, 0, 0x80, 0, 0, 1, 2, 3, 4, 5, 6]
        let loop = [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1, 0, 0, 0]
        let control: [UInt8] = [0x21, 0xF9, 4, 0, 10, 0, 0, 0]
        let frame: [UInt8] = [0x2C, 0, 0, 0, 0, 5, 0, 3, 0, 0x80, 1, 1, 1, 2, 2, 2, 2, 2, 0x44, 0x0A, 0]
        let comment = [0x21, 0xFE, UInt8(Self.secret.count)] + Self.secret + [0]
        let xmp = [0x21, 0xFF, 11] + Array("XMP DataXMP".utf8) + [UInt8(Self.secret.count)] + Self.secret + [0]
        let text = [0x21, 0x01, UInt8(Self.secret.count)] + Self.secret + [0]
        let file = start + comment + loop + xmp + control + frame + text + control + frame + [0x3B] + Self.secret
        #expect(try clean(file) == start + loop + control + frame + control + frame + [0x3B])
    }

    // MARK: All

    @Test func `rejects formats that cannot be cleaned`() {
        for format in [ImageFormat.avif, .heic, .tiff, .jxl, .jp2, .bmp, .ico, .pdf] {
            #expect(!MetadataCleaner.supports(format))
            #expect(throws: MetadataCleaner.Stop.unsupported(format)) {
                try MetadataCleaner.clean(
                    [1, 2, 3].span,
                    as: ImageHeader(format: format, width: 1, height: 1, hasAlpha: nil)
                )
            }
        }
    }

    @Test func `damage neither leaks a secret nor crashes the cleaner`() throws {
        let jpeg =
            [0xFF, 0xD8] + Self.jfif + Self.segment(0xE1, Array("Exif\0\0".utf8) + Self.exif(6)) + Self.profile
            + Self.segment(0xFE, Self.secret) + Self.frame + Self.scan + [0xFF, 0xD9]
        let webp = Self.webp(
            Self.riff("VP8X", [0x2C, 0, 0, 0, 4, 0, 0, 2, 0, 0]) + Self.lossless + Self.riff("EXIF", Self.exif(3))
        )
        let gif =
            Array("GIF89a".utf8) + [5, 0, 3, 0, 0, 0, 0, 0x21, 0xFE, UInt8(Self.secret.count)] + Self.secret
            + [0, 0x2C, 0, 0, 0, 0, 5, 0, 3, 0, 0, 2, 2, 0x44, 0x0A, 0, 0x3B]
        var random = SeededGenerator(seed: 7)
        for (format, file) in [
            (ImageFormat.jpeg, jpeg), (.webp, webp), (.gif, gif), (.png, TestImages.gradient(width: 9, height: 9)),
        ] {
            let header = ImageHeader(format: format, width: 5, height: 3, orientation: 6, hasAlpha: false)
            for _ in 0..<3_000 {
                var damaged = file
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    damaged[Int.random(in: 0..<damaged.count, using: &random)] = UInt8.random(
                        in: 0...255,
                        using: &random
                    )
                }
                if Bool.random(using: &random) { damaged.removeLast(Int.random(in: 0..<damaged.count, using: &random)) }
                guard let cleaned = try? MetadataCleaner.clean(damaged.span, as: header) else { continue }
                // At most the orientation is added.
                #expect(cleaned.count <= damaged.count + 64)
            }
        }
    }
}
