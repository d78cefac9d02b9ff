import ImagePlan
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ColorPaletteTests {
    @Test func `the dominant colour is the most frequent one, not the mean`() throws {
        let picture = try TinyPicture.make(90, 60) { x, _ in x < 60 ? [200, 20, 20, 255] : [20, 20, 200, 255] }
        let palette = ColorPalette(of: picture)
        #expect(palette.entries.map(\.color.text) == ["c81414", "1414c8"])
        #expect(abs(palette.entries[0].share - 2.0 / 3) < 0.001)
        #expect(palette.dominant?.text == "c81414")
    }

    @Test func `noise around a colour gives one entry`() throws {
        var generator = SeededGenerator(seed: 7)
        let picture = try TinyPicture.make(50, 50) { _, _ in
            (0..<3).map { UInt8([120, 90, 60][$0] + Int.random(in: -8...8, using: &generator)) } + [255]
        }
        let palette = ColorPalette(of: picture)
        #expect(palette.entries.count == 1)
        let color = try #require(palette.dominant)
        #expect(ImageComparison.colourDistance([color.red, color.green, color.blue], [120, 90, 60]) < 3)
    }

    @Test func `ignores transparent pixels`() throws {
        let picture = try TinyPicture.make(20, 20) { x, _ in x < 2 ? [0, 128, 0, 255] : [255, 0, 0, 0] }
        let palette = ColorPalette(of: picture)
        #expect(palette.entries.count == 1 && palette.entries[0].share == 1)
        #expect(palette.dominant == Color(red: 0, green: 128, blue: 0))
        #expect(ColorPalette(of: try .plain(3, 3, [9, 9, 9, 0])).dominant == nil)
    }

    @Test func `many colours give at most six entries, whose shares add up to 1`() throws {
        var generator = SeededGenerator(seed: 11)
        let picture = try TinyPicture.make(100, 100) { _, _ in
            (0..<3).map { _ in UInt8.random(in: 0...255, using: &generator) } + [255]
        }
        let palette = ColorPalette(of: picture)
        #expect((2...ColorPalette.maximumCount).contains(palette.entries.count))
        #expect(abs(palette.entries.reduce(0) { $0 + $1.share } - 1) < 1e-9)
        #expect(palette.entries.map(\.share) == palette.entries.map(\.share).sorted(by: >))
    }
}
