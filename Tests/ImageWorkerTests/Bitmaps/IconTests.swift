import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

@Suite(.timeLimit(.minutes(2)))
struct IconTests {
    /// A bitmap of an icon: its picture, then a mask that hides the pixels of the diagonal.
    private func entry(
        _ kind: BitmapFile.Kind,
        side: Int,
        seed: UInt64 = 1
    ) -> (entry: (width: Int, height: Int, bits: Int, bytes: [UInt8]), expected: PixelImage) {
        var file = BitmapFile(kind: kind, width: side, height: side, seed: seed)
        var bytes = file.bitmap(headHeight: 2 * side).bytes
        for line in 0..<side {
            let y = side - 1 - line
            var row = [UInt8](repeating: 0, count: (side + 31) / 32 * 4)
            row[y / 8] |= 128 >> UInt8(y % 8)
            bytes += row
        }
        return ((side, side, file.bits, bytes), file.expected)
    }

    private func pixels(_ file: [UInt8]) throws -> PixelImage { try Workbench.pixels("", of: file, as: .ico) }

    @Test(arguments: [BitmapFile.Kind.indexed1, .indexed4, .indexed8, .rgb24])
    func `the mask hides pixels`(kind: BitmapFile.Kind) throws {
        let (entry, expected) = entry(kind, side: 17)
        let pixels = try pixels(BitmapFile.icon([entry]))
        for y in 0..<17 {
            for x in 0..<17 {
                #expect(pixels.alpha(x, y) == (x == y ? 0 : 255))
                if x != y { #expect(Array(pixels[x, y].prefix(3)) == expected[x, y]) }
            }
        }
    }

    @Test func `32-bit icons use their alpha, or the mask if it is all 0`() throws {
        let (entry, _) = entry(.rgb32, side: 16)
        let shown = try pixels(BitmapFile.icon([entry]))
        // BGRA after the header, bottom row first.
        #expect(shown.alpha(3, 15) == entry.bytes[40 + 3 * 4 + 3])
        var blank = entry
        for index in stride(from: 43, to: 40 + 16 * 16 * 4, by: 4) { blank.bytes[index] = 0 }
        let masked = try pixels(BitmapFile.icon([blank]))
        #expect(masked.alpha(5, 5) == 0 && masked.alpha(5, 6) == 255)
    }

    @Test func `the largest image is used regardless of the directory`() throws {
        let large = PixelImage(width: 48, height: 40) { x, y in [UInt8(x), UInt8(y), 9, 255] }
        let png = Workbench.png(large)
        let small = entry(.rgb24, side: 32).entry
        let file = BitmapFile.icon([small, (16, 16, 32, png), entry(.indexed8, side: 8).entry])
        #expect(try pixels(file) == large)
        let made = try Workbench.make("w=24", of: file, as: .ico)
        #expect(made.description.width == 24 && made.description.height == 20)
    }

    @Test func `a broken entry does not affect others`() throws {
        let good = entry(.rgb24, side: 9)
        let file = BitmapFile.icon([(0, 0, 32, [1, 2, 3, 4, 5]), good.entry])
        #expect(try pixels(file).width == 9)
        #expect(throws: WorkerReply.Failure.self) {
            try Workbench.make("w=3", of: BitmapFile.icon([(0, 0, 32, [1, 2, 3, 4, 5])]), as: .ico)
        }
    }

    @Test func `truncated and mutated files do no harm`() throws {
        var generator = SeededGenerator(seed: 12)
        let png = TestImages.gradient(width: 9, height: 9)
        let file = BitmapFile.icon([
            entry(.indexed4, side: 11).entry, entry(.rgb32, side: 10).entry, (9, 9, 32, png),
        ])
        var survivors = 0
        for round in 0..<10_000 {
            var mutated = file
            if round.isMultiple(of: 4) {
                mutated.removeLast(Int.random(in: 1..<mutated.count, using: &generator))
            } else {
                for _ in 0..<Int.random(in: 1...4, using: &generator) {
                    let end = Bool.random(using: &generator) ? min(110, mutated.count) : mutated.count
                    mutated[Int.random(in: 0..<end, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
                }
            }
            let decoded = try? Workbench.decode(mutated, as: .ico, maximumPixels: 1_000_000)
            if decoded != nil { survivors += 1 }
        }
        #expect(survivors > 0)
    }

    @Test(.enabled(if: SharedImages.isAvailable))
    func `an icon written by another program is decoded`() throws {
        let source = try Workbench.photograph("favicon.ico")
        let pixels = try pixels(source)
        #expect(pixels.width >= 16 && Set(pixels.bytes).count > 2)
    }
}
