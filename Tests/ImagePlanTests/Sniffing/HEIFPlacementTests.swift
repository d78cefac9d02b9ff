import TestSupport
import Testing

@testable import ImagePlan

/// Crops, rotations and mirrors in any number and order, compared with the same operations on every pixel.
@Suite(.timeLimit(.minutes(1)))
struct HEIFPlacementTests {
    /// An image in which every pixel stores its own position.
    private struct Grid: Equatable {
        var rows: [[[Int]]]

        init(width: Int, height: Int) { rows = (0..<height).map { y in (0..<width).map { [$0, y] } } }

        /// Clockwise.
        mutating func turn() {
            rows = rows[0].indices.map { x in rows.indices.reversed().map { rows[$0][x] } }
        }

        mutating func mirror() { rows = rows.map { $0.reversed() } }

        mutating func crop(_ part: PixelRectangle) {
            rows = rows[part.top..<part.bottom].map { Array($0[part.left..<part.right]) }
        }
    }

    /// Applies a placement to the image: a crop, then the EXIF orientation.
    private func shown(_ placement: HEIFPlacement) -> Grid {
        var grid = Grid(width: placement.stored.width, height: placement.stored.height)
        grid.crop(placement.visible)
        let turns = [1: 0, 2: 0, 3: 2, 4: 2, 5: 1, 6: 1, 7: 3, 8: 3]
        for _ in 0..<(turns[placement.orientation] ?? 0) { grid.turn() }
        if [2, 4, 5, 7].contains(placement.orientation) { grid.mirror() }
        return grid
    }

    @Test func `reduces to one crop and one orientation`() {
        var generator = SeededGenerator(seed: 4)
        for _ in 0..<500 {
            let size = PixelSize(
                width: Int.random(in: 1...9, using: &generator),
                height: Int.random(in: 1...9, using: &generator)
            )
            var placement = HEIFPlacement(stored: size)
            var grid = Grid(width: size.width, height: size.height)
            for _ in 0..<Int.random(in: 0...6, using: &generator) {
                switch Int.random(in: 0...2, using: &generator) {
                case 0:
                    let turns = Int.random(in: 0...3, using: &generator)
                    placement.turn(quarters: turns)
                    for _ in 0..<turns { grid.turn() }
                case 1:
                    placement.mirror()
                    grid.mirror()
                default:
                    let (width, height) = (grid.rows[0].count, grid.rows.count)
                    let (left, top) = (
                        Int.random(in: 0..<width, using: &generator), Int.random(in: 0..<height, using: &generator)
                    )
                    let part = PixelRectangle(
                        left: left,
                        top: top,
                        width: Int.random(in: 1...width - left, using: &generator),
                        height: Int.random(in: 1...height - top, using: &generator)
                    )
                    let isLeft = placement.crop(to: part)
                    #expect(isLeft)
                    grid.crop(part)
                }
            }
            #expect(shown(placement) == grid)
        }
    }

    @Test func `a crop outside the image leaves nothing, one across its edge the part inside`() {
        var placement = HEIFPlacement(stored: PixelSize(width: 8, height: 6))
        let beside = placement.crop(to: PixelRectangle(left: 8, top: 0, width: 4, height: 4))
        let over = placement.crop(to: PixelRectangle(left: 6, top: -2, width: 9, height: 4))
        #expect(!beside && over)
        #expect(placement.visible == PixelRectangle(left: 6, top: 0, width: 2, height: 2))
    }
}
