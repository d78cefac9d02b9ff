import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

@Suite(.timeLimit(.minutes(2)))
struct BitmapTests {
    private func decode(_ bytes: [UInt8]) throws -> PixelImage {
        let (pixels, header) = try BMPCoder.decode(bytes.span)
        return PixelImage(
            width: header.width,
            height: header.height,
            channels: header.hasAlpha ? 4 : 3,
            bytes: header.hasAlpha ? pixels.rgba : pixels.rgb
        )
    }

    @Test(arguments: BitmapFile.Kind.allCases)
    func `decodes every pixel format in any size`(kind: BitmapFile.Kind) throws {
        var generator = SeededGenerator(seed: 7)
        for seed in 0..<200 as Range<UInt64> {
            let isRuns = kind == .runs4 || kind == .runs8
            let heads = isRuns || kind == .rgb565 || kind == .argb32 ? [40, 108, 124] : [12, 40, 108, 124]
            let headSize = heads.randomElement(using: &generator) ?? 40
            var file = BitmapFile(
                kind: kind,
                width: Int.random(in: 1...40, using: &generator),
                height: Int.random(in: 1...12, using: &generator),
                isTopDown: !isRuns && headSize > 12 && Bool.random(using: &generator),
                headSize: headSize,
                seed: seed
            )
            let bytes = file.file()
            #expect(try decode(bytes) == file.expected, "\(kind) \(seed) \(headSize)")
        }
    }

    @Test func `alpha that is 0 everywhere is ignored`() throws {
        var file = BitmapFile(kind: .argb32, width: 3, height: 2, headSize: 124, seed: 1)
        var bytes = file.file()
        for index in stride(from: 14 + 124 + 3, to: bytes.count, by: 4) { bytes[index] = 0 }
        let pixels = try decode(bytes)
        for y in 0..<2 { for x in 0..<3 { #expect(pixels[x, y] == file.expected[x, y].prefix(3) + [255]) } }
    }

    @Test func `skipped pixels of a run have the first colour`() throws {
        let head =
            BitmapFile.word(40) + BitmapFile.word(4) + BitmapFile.word(3) + BitmapFile.half(1) + BitmapFile.half(8)
        let sizes =
            BitmapFile.word(1) + BitmapFile.word(0) + BitmapFile.word(0) + BitmapFile.word(0) + BitmapFile.word(2)
        let body = head + sizes + BitmapFile.word(0) + [1, 2, 3, 0, 30, 20, 10, 0]
        // One pixel; two to the right and one up; one pixel; the end.
        let bytes = Array("BM".utf8) + [0, 0, 0, 0, 0, 0, 0, 0, 62, 0, 0, 0] + body + [1, 1, 0, 2, 2, 1, 1, 1, 0, 1]
        let pixels = try decode(bytes)
        let lit = (0..<12).filter { pixels[$0 % 4, $0 / 4] == [10, 20, 30] }
        #expect(lit == [1 * 4 + 3, 2 * 4 + 0])
        #expect(pixels[0, 0] == [3, 2, 1])
    }

    @Test func `an index past the palette is black`() throws {
        var file = BitmapFile(kind: .indexed8, width: 4, height: 1, seed: 3)
        var bytes = file.file()
        // biClrUsed 1: the palette ends after its first colour.
        bytes.replaceSubrange(46..<50, with: BitmapFile.word(1))
        bytes.replaceSubrange(bytes.count - 4..<bytes.count, with: [0, 1, 200, 255])
        let pixels = try decode(bytes)
        #expect((1..<4).allSatisfy { pixels[$0, 0] == [0, 0, 0] })
        #expect(pixels[0, 0] == [bytes[56], bytes[55], bytes[54]])
    }

    @Test(
        arguments: [
            ("an unknown header", 14, [41, 0, 0, 0]), ("no width", 18, [0, 0, 0, 0]),
            ("a negative width", 18, [255, 255, 255, 255]),
            ("no height", 22, [0, 0, 0, 0]), ("the lowest height", 22, [0, 0, 0, 128]), ("a depth of 7", 28, [7, 0]),
            ("JPEG inside", 30, [4, 0, 0, 0]), ("a great width", 18, [255, 255, 255, 127]),
            ("pixels far beyond the file", 10, [255, 255, 255, 255]), ("pixels in the header", 10, [20, 0, 0, 0]),
            ("a greater height", 22, [200, 0, 0, 0]),
        ] as [(String, Int, [UInt8])]
    )
    func `invalid headers are refused`(what: String, offset: Int, patch: [UInt8]) throws {
        var file = BitmapFile(kind: .rgb24, width: 5, height: 5, seed: 1)
        var bytes = file.file()
        bytes.replaceSubrange(offset..<offset + patch.count, with: patch)
        #expect(throws: WorkerReply.Failure.self, "\(what)") { try decode(bytes) }
    }

    @Test(arguments: BitmapFile.Kind.allCases)
    func `truncated and mutated files do no harm`(kind: BitmapFile.Kind) throws {
        var generator = SeededGenerator(seed: 11)
        var file = BitmapFile(kind: kind, width: 13, height: 7, headSize: kind == .argb32 ? 108 : 40, seed: 2)
        let bytes = file.file()
        for count in 0..<bytes.count {
            #expect(throws: WorkerReply.Failure.self) { try decode(Array(bytes.prefix(count))) }
        }
        var survivors = 0
        for _ in 0..<1_000 {
            var mutated = bytes
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                // Mostly in the header.
                let end = Bool.random(using: &generator) ? min(70, mutated.count) : mutated.count
                mutated[Int.random(in: 0..<end, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            guard let header = try? BitmapHeader(mutated.span, at: 14, isIcon: false) else { continue }
            // The worker checks the size before decoding.
            guard header.width * header.height <= 50_000, let pixels = try? decode(mutated) else { continue }
            #expect(pixels.width == header.width && pixels.height == header.height)
            survivors += 1
        }
        #expect(survivors > 0)
    }

    @Test func `a bitmap goes through the worker like other formats`() throws {
        var file = BitmapFile(kind: .rgb24, width: 30, height: 20, seed: 5)
        let bytes = file.file()
        let made = try Workbench.make("format=png", of: bytes, as: .bmp)
        #expect(try Workbench.decode(made) == file.expected)
        #expect(try Workbench.make("w=15", of: bytes, as: .bmp).description.format == .jpeg)
        #expect(throws: WorkerReply.Failure.self) {
            try Workbench.make("w=3", of: bytes, as: .bmp, maximumPixels: 599)
        }
    }

    @Test(.enabled(if: SharedImages.isAvailable))
    func `a bitmap written by another program is decoded`() throws {
        let pixels = try Workbench.pixels("", of: Workbench.photograph("small.bmp"), as: .bmp)
        #expect(pixels.width > 1 && Set(pixels.bytes).count > 1)
    }
}
