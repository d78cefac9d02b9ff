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
            // With alpha, bg would fill what is exposed in any case.
            let opaque = PixelImage(width: 40, height: 20, channels: 3) { x, y in [UInt8(x * 5), UInt8(y * 5), 77] }
            for source in [picture(40, 20), opaque] {
                let pixels = try Workbench.pixels("\(query)&bg=00ff00", of: Workbench.png(source))
                #expect(pixels.width == 40 && pixels.height == 20)
                #expect((pixels[1, 10].prefix(3) == [0, 255, 0]) == isBare)
            }
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
            // The centre stays in place.
            #expect(kept[width / 2, height / 2][3] == 255)
            // Otherwise the pixels of both lie half a pixel apart.
            guard (width - whole.width).isMultiple(of: 2), (height - whole.height).isMultiple(of: 2) else { continue }
            let (left, top) = ((width - whole.width) / 2, (height - whole.height) / 2)
            for y in 0..<height {
                for x in 0..<width {
                    let (column, row) = (x - left, y - top)
                    let isThere = (0..<whole.width).contains(column) && (0..<whole.height).contains(row)
                    #expect(kept.alpha(x, y) == (isThere ? whole.alpha(column, row) : 0))
                    guard isThere, whole.alpha(column, row) > 0 else { continue }
                    #expect(kept[x, y] == whole[column, row])
                }
            }
        }
    }

    @Test(arguments: [(41, 41), (40, 40), (41, 24), (24, 41)])
    func `the centre of the picture becomes that of the canvas`(width: Int, height: Int) throws {
        let source = PixelImage(width: width, height: height) { x, y in
            let isCentre = abs(2 * x + 1 - width) <= 3 && abs(2 * y + 1 - height) <= 3
            return isCentre ? [255, 255, 255, 255] : [0, 0, 0, 255]
        }
        for degrees in [1, 10.5, 45, 89, 135, 200, 271, 330] {
            for query in ["rotate=\(degrees)&bg=000000", "rotate=\(degrees)&expand=0&bg=000000"] {
                let pixels = try Workbench.pixels(query, of: Workbench.png(source))
                let centre = Self.centre(of: pixels)
                #expect(abs(centre.x - Double(pixels.width) / 2) < 0.01, "\(query)")
                #expect(abs(centre.y - Double(pixels.height) / 2) < 0.01, "\(query)")
            }
        }
    }

    /// The centre of the light in an opaque grey picture.
    private static func centre(of image: PixelImage) -> (x: Double, y: Double) {
        var (sum, across, down) = (0.0, 0.0, 0.0)
        for y in 0..<image.height {
            for x in 0..<image.width {
                let light = Double(image[x, y][0])
                sum += light
                across += light * (Double(x) + 0.5)
                down += light * (Double(y) + 0.5)
            }
        }
        return (across / sum, down / sum)
    }

    @Test(arguments: [10, 30, 45, 135, 200, 300], [(101, 101), (50, 30), (7, 9), (50, 6), (1, 1)])
    func `all corners of a picture are cut off alike`(degrees: Int, size: (width: Int, height: Int)) throws {
        let source = PixelImage(width: size.width, height: size.height) { _, _ in [255, 255, 255, 255] }
        let pixels = try Workbench.pixels("rotate=\(degrees)", of: Workbench.png(source))
        for y in 0..<pixels.height {
            for x in 0..<pixels.width {
                let opposite = pixels.alpha(pixels.width - 1 - x, pixels.height - 1 - y)
                #expect(abs(Int(pixels.alpha(x, y)) - Int(opposite)) <= 1)
            }
        }
    }
}
