/// What an encoder will about take, told before it is asked: the CPU time of `Benchmarks/README.md`'s table.
package enum EncodingCost {
    /// Milliseconds for a picture without pixels, and for each million of them.
    private struct Line {
        var base: Int
        var perMegapixel: Int
    }

    /// AVIF through aom, by effort: lines through the table's 512 px and 1920 px; 3, 5 and 6 were tried at 512 px, what is from 7 on
    /// is a guess.
    private static let avif = [
        Line(base: 7, perMegapixel: 45), Line(base: 29, perMegapixel: 133), Line(base: 22, perMegapixel: 265),
        Line(base: 25, perMegapixel: 420), Line(base: 250, perMegapixel: 1_750), Line(base: 300, perMegapixel: 2_200),
        Line(base: 500, perMegapixel: 4_000), Line(base: 1_000, perMegapixel: 10_000),
        Line(base: 2_000, perMegapixel: 20_000), Line(base: 5_000, perMegapixel: 60_000),
    ]

    /// The encodes that a search for the quality of `max_bytes` may take.
    private static let mostSearches = 7

    /// Milliseconds of one processor to encode a picture as AVIF.
    ///
    /// - Parameters:
    ///   - pixels: of the result; 0 where they are not known.
    ///   - effort: 0–9; others count as the nearest of these.
    ///   - isSearched: whether the quality is to be found by trying.
    package static func avifMilliseconds(pixels: Int, effort: Int, isSearched: Bool = false) -> Int {
        let line = avif[min(max(effort, 0), avif.count - 1)]
        let once = line.base.addingSaturated(pixels.multipliedSaturated(by: line.perMegapixel) / 1_000_000)
        return isSearched ? once.multipliedSaturated(by: mostSearches) : once
    }

    /// The most pixels whose AVIF is made within some milliseconds.
    package static func avifPixels(within milliseconds: Int, effort: Int, isSearched: Bool = false) -> Int {
        let line = avif[min(max(effort, 0), avif.count - 1)]
        let once = isSearched ? milliseconds / mostSearches : milliseconds
        return max(0, once - line.base).multipliedSaturated(by: 1_000_000) / line.perMegapixel
    }
}
