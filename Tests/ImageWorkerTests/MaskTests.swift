import Glibc
import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

@Suite(.timeLimit(.minutes(1)))
struct MaskTests {
    private func alphas(_ shape: String, width: Int, height: Int) throws -> [[Double]] {
        let source = PixelImage(width: width, height: height) { _, _ in [200, 10, 20, 255] }
        let pixels = try Workbench.pixels("mask=\(shape)", of: Workbench.png(source))
        #expect(pixels.width == width)
        #expect(pixels.height == height)
        return (0..<height).map { y in (0..<width).map { Double(pixels.alpha($0, y)) / 255 } }
    }

    /// The area of each shape in a box of 100 pixels.
    private static func area(_ shape: MaskStep.Shape) -> Double {
        /// The area of a regular polygon with a circumradius of 1.
        func regular(_ corners: Double) -> Double { corners / 2 * sin(2 * Double.pi / corners) }
        switch shape {
        case .circle: return 2500 * Double.pi
        case .ellipse: return 2500 * Double.pi
        // ∫(1 − x⁴)^¼ over a quarter is Γ(5/4)² ÷ Γ(3/2).
        case .squircle: return 4 * 2500 * pow(tgamma(1.25), 2) / tgamma(1.5)
        // Width √3 R = 100.
        case .triangle: return regular(3) * pow(100 / 3.0.squareRoot(), 2)
        case .diamond: return 5000
        // Width 2 sin 72° R = 100.
        case .pentagon: return regular(5) * pow(50 / sin(0.4 * Double.pi), 2)
        // Height 2 R = 100.
        case .hexagon: return regular(6) * 2500
        // Width 2 cos 22.5° R = 100.
        case .octagon: return regular(8) * pow(50 / cos(Double.pi / 8), 2)
        case .star:
            let outer = 50 / sin(0.4 * Double.pi)
            let inner = outer * (3 - 5.0.squareRoot()) / 2
            return 5 * outer * inner * sin(0.2 * Double.pi)
        // ∮ x dy of the curve is 180 π in its own units, in which it is 32 wide.
        case .heart: return 180 * Double.pi * pow(100 / 32, 2)
        }
    }

    @Test(arguments: MaskStep.Shape.allCases)
    func `a shape's coverage adds up to its area`(shape: MaskStep.Shape) throws {
        let rows = try alphas(shape.rawValue, width: 100, height: 100)
        let area = rows.reduce(0) { $0 + $1.reduce(0, +) }
        #expect(abs(area - Self.area(shape)) < 8, "\(shape) \(area)")
    }

    @Test(arguments: MaskStep.Shape.allCases)
    func `a shape is symmetric, centred, and touches its box`(shape: MaskStep.Shape) throws {
        for (width, height) in [(81, 60), (40, 90)] {
            let rows = try alphas(shape.rawValue, width: width, height: height)
            for row in rows {
                for x in 0..<width { #expect(abs(row[x] - row[width - 1 - x]) < 0.02) }
            }
            #expect(rows[height / 2][width / 2] == 1)
            #expect(rows[0][0] == 0)
            #expect(rows[height - 1][0] < 0.6)
            let touched = rows.indices.filter { rows[$0].contains { $0 > 0 } }
            let reached = (0..<width).filter { x in rows.contains { $0[x] > 0 } }
            #expect(touched.count >= height - 1 || reached.count >= width - 1)
            // Equal distances to top and bottom, and to left and right.
            #expect(abs((touched.first ?? 0) - (height - 1 - (touched.last ?? 0))) <= 1)
            #expect(abs((reached.first ?? 0) - (width - 1 - (reached.last ?? 0))) <= 1)
        }
    }

    @Test func `an ellipse fills the image, a circle stays round`() throws {
        let ellipse = try alphas("ellipse", width: 90, height: 30)
        #expect(ellipse[15][1] > 0.9)
        #expect(ellipse[1][45] > 0.9)
        let circle = try alphas("circle", width: 90, height: 30)
        #expect(circle[15][28] == 0)
        #expect(circle[15][32] == 1)
    }

    @Test(arguments: MaskStep.Shape.allCases)
    func `antialiased edges match a finer rendering`(shape: MaskStep.Shape) throws {
        let size = PixelSize(width: 37, height: 29)
        let fine = PixelSize(width: 37 * 8, height: 29 * 8)
        let coarse = ShapeMask(size: size, outline: shape.outline(in: size)).coverage()
        let large = ShapeMask(size: fine, outline: shape.outline(in: fine)).coverage()
        for y in 0..<29 {
            for x in 0..<37 {
                var sum = 0
                for row in y * 8..<y * 8 + 8 {
                    sum += large[row * 296 + x * 8..<row * 296 + x * 8 + 8].reduce(0) { $0 + Int($1) }
                }
                #expect(abs(Double(sum) / 64 - Double(coarse[y * 37 + x])) < 10, "\(x), \(y)")
            }
        }
    }

    @Test(arguments: MaskStep.Shape.allCases)
    func `masks work on the smallest images`(shape: MaskStep.Shape) throws {
        for (width, height) in [(1, 1), (1, 9), (9, 1), (2, 3)] {
            let rows = try alphas(shape.rawValue, width: width, height: height)
            #expect(rows.joined().contains { $0 > 0 }, "\(width)x\(height)")
        }
    }

    @Test func `masks multiply existing alpha, and show the background`() throws {
        let source = PixelImage(width: 20, height: 20) { x, _ in [0, 0, 250, x < 10 ? 128 : 255] }
        let pixels = try Workbench.pixels("mask=circle", of: Workbench.png(source))
        #expect(pixels[5, 10] == [0, 0, 250, 128])
        #expect(pixels[15, 10] == [0, 0, 250, 255])
        #expect(pixels.alpha(0, 0) == 0)
        let onGreen = try Workbench.pixels("mask=circle&bg=00ff00", of: Workbench.png(source))
        #expect(Array(onGreen[0, 0].prefix(3)) == [0, 255, 0])
    }

    @Test func `masks every frame`() throws {
        let made = try Workbench.make(
            "mask=star&format=webp&q=100",
            of: ThreeFrames.gif(width: 20, height: 20),
            as: .gif
        )
        #expect(made.description.hasAlpha)
        let stack = try Workbench.decode(made)
        for frame in 0..<3 {
            #expect(stack.alpha(0, frame * 20) == 0)
            #expect(stack.alpha(10, frame * 20 + 10) == 255)
        }
    }
}
