import Glibc
import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

/// `linear=1`: resizes in linear light.
@Suite(.timeLimit(.minutes(2)))
struct LinearLightTests {
    private static func light(_ value: UInt8) -> Double {
        let value = Double(value) / 255
        return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }

    private static func value(_ light: Double) -> Double {
        let light = min(max(light, 0), 1)
        return 255 * (light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055)
    }

    private static func lanczos(_ x: Double) -> Double {
        guard x != 0 else { return 1 }
        guard abs(x) < 3 else { return 0 }
        return 3 * sin(.pi * x) * sin(.pi * x / 3) / (.pi * .pi * x * x)
    }

    /// One line reduced in double precision by the whole kernel; edge samples repeat.
    private static func reduced(_ line: [Double], to count: Int) -> [Double] {
        let scale = Double(line.count) / Double(count)
        return (0..<count).map { index in
            let centre = (Double(index) + 0.5) * scale - 0.5
            var (sum, total) = (0.0, 0.0)
            for sample in Int((centre - 3 * scale).rounded(.up))...Int((centre + 3 * scale).rounded(.down)) {
                let weight = lanczos((Double(sample) - centre) / scale)
                sum += weight * line[min(max(sample, 0), line.count - 1)]
                total += weight
            }
            return sum / total
        }
    }

    /// A plane reduced in double precision.
    private static func reduced(_ plane: [[Double]], width: Int, height: Int) -> [[Double]] {
        let rows = plane.map { reduced($0, to: width) }
        let columns = (0..<width).map { x in reduced(rows.map { $0[x] }, to: height) }
        return (0..<height).map { y in columns.map { $0[y] } }
    }

    /// Pixels of drawn detail: fine lines on a gradient, dark beside bright.
    private let detailed = PixelImage(width: 180, height: 120) { x, y in
        let line: UInt8 = (x * x / 60 + y * y / 40).isMultiple(of: 2) ? 235 : 20
        return [line, UInt8(x), UInt8((x / 3 + y / 5) % 2 * 200 + 30), UInt8(80 + y)]
    }

    /// The light of a pixel's band, premultiplied by its alpha of 0–1.
    private func plane(_ band: Int, isOpaque: Bool) -> [[Double]] {
        (0..<detailed.height).map { y in
            (0..<detailed.width).map { x in
                let pixel = detailed[x, y]
                let alpha = isOpaque ? 1 : Double(pixel[3]) / 255
                return band == 3 ? alpha : Self.light(pixel[band]) * alpha
            }
        }
    }

    @Test(arguments: [(60, 40), (101, 67), (51, 34)], [true, false])
    func `a result is that of double precision within a level, and a fiftieth of the light`(
        _ size: (Int, Int),
        isOpaque: Bool
    ) throws {
        let (width, height) = size
        let source =
            isOpaque
            ? PixelImage(width: 180, height: 120, channels: 3) { x, y in Array(detailed[x, y].prefix(3)) } : detailed
        let made = try Workbench.pixels("w=\(width)&h=\(height)&fit=fill&linear=1", of: Workbench.png(source))
        let stored = try Workbench.pixels("w=\(width)&h=\(height)&fit=fill", of: Workbench.png(source))
        let planes = (0..<4).map { Self.reduced(plane($0, isOpaque: isOpaque), width: width, height: height) }
        var (sum, sumStored, most) = (0.0, 0.0, 0.0)
        for y in 0..<height {
            for x in 0..<width {
                let alpha = planes[3][y][x]
                for band in 0..<3 {
                    let right = Self.value(planes[band][y][x] / alpha)
                    let difference = Double(made[x, y][band]) - right
                    sum += difference * difference
                    // libvips rounds positions to a 64th of a pixel, which dark pixels beside bright ones show most.
                    let light = min(max(planes[band][y][x] / alpha, 0), 1)
                    most = max(most, abs(Self.light(made[x, y][band]) - light))
                    let other = Double(stored[x, y][band]) - right
                    sumStored += other * other
                }
                guard !isOpaque else { continue }
                #expect(abs(Double(made[x, y][3]) - 255 * alpha) <= 1)
            }
        }
        let count = Double(width * height * 3)
        let (error, errorStored) = ((sum / count).squareRoot(), (sumStored / count).squareRoot())
        #expect(most <= 0.02 && error <= 1, "most \(most), root mean square \(error)")
        // The same resize of stored values is far off.
        #expect(errorStored >= 10, "\(errorStored)")
    }

    @Test func `a fine checkerboard keeps its brightness`() throws {
        let board = PixelImage(width: 256, height: 256, channels: 3) { x, y in
            [UInt8](repeating: (x + y).isMultiple(of: 2) ? 255 : 0, count: 3)
        }
        let source = Workbench.png(board)
        for (query, expected) in [("w=64&linear=1", 188), ("w=64", 128)] {
            let middle = try Workbench.pixels(query, of: source)[32, 32]
            for value in middle { #expect(abs(Int(value) - expected) <= 1, "\(query): \(middle)") }
        }
    }

    @Test(arguments: [(7, 9), (80, 50)])
    func `every uniform colour is unchanged, with and without alpha`(width: Int, height: Int) throws {
        precondition(Workbench.isStarted)
        for value in UInt8.min...UInt8.max {
            for pixel in [[value, 255 - value, value / 2], [value, 255 - value, value / 2, 200]] {
                let bytes = (0..<(32 * 24)).flatMap { _ in pixel }
                let raster = try Raster.sRGB(bytes, width: 32, height: 24, bands: pixel.count)
                let made = try raster.resizedInLinearLight(to: PixelSize(width: width, height: height))
                let pixels = try Workbench.pixels(of: made)
                #expect(pixels == PixelImage(width: width, height: height, channels: pixel.count) { _, _ in pixel })
            }
        }
    }

    @Test func `colours under transparency do not bleed`() throws {
        let source = PixelImage(width: 64, height: 64) { x, _ in x < 33 ? [255, 0, 0, 0] : [0, 200, 0, 255] }
        let made = try Workbench.pixels("w=16&linear=1", of: Workbench.png(source))
        for x in 0..<16 where made.alpha(x, 8) > 0 { #expect(made[x, 8].prefix(3) == [0, 200, 0], "\(x)") }
    }

    @Test func `a JPEG is decoded in full, whatever else its job makes`() throws {
        // Stripes that a decoder which loads smaller averages as stored.
        let stripes = PixelImage(width: 1600, height: 400, channels: 3) { x, _ in
            [UInt8](repeating: x / 2 % 2 == 0 ? 255 : 0, count: 3)
        }
        let jpeg = try Workbench.make("format=jpeg&q=95", of: Workbench.png(stripes), as: .png).bytes
        let queries = ["w=50&format=png", "w=100&linear=1&format=png", "w=200&linear=1&format=png"]
        let together = try Workbench.makeAll(queries, of: jpeg, as: .jpeg).map { try Workbench.decode($0) }
        for (made, expected) in zip(together, [128, 188, 188]) {
            let middle = Int(made[made.width / 2, made.height / 2][1])
            #expect(abs(middle - expected) <= 2)
        }
        let alone = try Workbench.pixels("w=100&linear=1", of: jpeg, as: .jpeg)
        #expect(alone == together[1])
    }

    @Test func `enlarges in linear light, too`() throws {
        let source = PixelImage(width: 2, height: 1, channels: 3) { x, _ in
            [UInt8](repeating: x == 0 ? 0 : 255, count: 3)
        }
        let linear = try Workbench.pixels("w=5&h=1&fit=fill&enlarge=1&linear=1", of: Workbench.png(source))
        let stored = try Workbench.pixels("w=5&h=1&fit=fill&enlarge=1", of: Workbench.png(source))
        #expect(linear[2, 0] == [188, 188, 188])
        #expect(stored[2, 0] != linear[2, 0])
    }
}
