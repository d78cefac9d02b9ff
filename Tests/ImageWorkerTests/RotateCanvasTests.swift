import TestSupport
import Testing

@testable import ImageWorker

/// `rotate` with `expand=0`: the canvas keeps its size, like SDWebImage with `fitSize: false`.
@Suite(.timeLimit(.minutes(1)))
struct RotateCanvasTests {
    /// Every pixel has a unique colour.
    private func picture(_ width: Int, _ height: Int) -> PixelImage {
        PixelImage(width: width, height: height) { x, y in [UInt8(x * 5), UInt8(y * 5), 77, 255] }
    }

    @Test(arguments: [(40, 20), (20, 40), (40, 21), (9, 30)])
    func `a quarter turn is centred, cut off on two sides and exposed on two`(width: Int, height: Int) throws {
        let source = picture(width, height)
        let turned = try Workbench.pixels("rotate=90&expand=0", of: Workbench.png(source))
        #expect(turned.width == width && turned.height == height)
        // In the rotated image, whose sides are swapped.
        let (left, top) = ((width - height) >> 1, (height - width) >> 1)
        for y in 0..<height {
            for x in 0..<width {
                let (column, row) = (x - left, y - top)
                if (0..<height).contains(column), (0..<width).contains(row) {
                    #expect(turned[x, y] == source[row, height - 1 - column])
                } else {
                    #expect(turned.alpha(x, y) == 0)
                }
            }
        }
    }

    @Test func `exposed pixels have the background`() throws {
        for (query, isBare) in [("rotate=270&expand=0", true), ("rotate=180&expand=0", false)] {
            let pixels = try Workbench.pixels("\(query)&bg=00ff00", of: Workbench.png(picture(40, 20)))
            #expect(pixels.width == 40 && pixels.height == 20)
            #expect((pixels[1, 10].prefix(3) == [0, 255, 0]) == isBare)
        }
    }

    @Test func `a square is rotated as with expand=1`() throws {
        let source = Workbench.png(picture(30, 30))
        #expect(try Workbench.pixels("rotate=90&expand=0", of: source) == Workbench.pixels("rotate=90", of: source))
    }

    @Test(arguments: [15, 30, 45, 120, 200, 330])
    func `any other angle is the centre of the grown canvas`(degrees: Int) throws {
        for (width, height) in [(50, 30), (30, 50), (50, 6)] {
            let source = Workbench.png(picture(width, height))
            let whole = try Workbench.pixels("rotate=\(degrees)", of: source)
            let kept = try Workbench.pixels("rotate=\(degrees)&expand=0", of: source)
            #expect(kept.width == width && kept.height == height)
            let (left, top) = ((width - whole.width) >> 1, (height - whole.height) >> 1)
            for y in 0..<height {
                for x in 0..<width {
                    let (column, row) = (x - left, y - top)
                    let isThere = (0..<whole.width).contains(column) && (0..<whole.height).contains(row)
                    #expect(kept.alpha(x, y) == (isThere ? whole.alpha(column, row) : 0))
                    guard isThere, whole.alpha(column, row) > 0 else { continue }
                    #expect(kept[x, y] == whole[column, row])
                }
            }
            // The centre stays in place.
            #expect(kept[width / 2, height / 2][3] == 255)
        }
    }
}
