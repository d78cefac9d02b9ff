import CVips
import Glibc
import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

/// Images scaled down without libvips.
@Suite(.timeLimit(.minutes(1)))
struct ResamplerTests {
    /// A picture's samples.
    private struct Picture {
        var size: PixelSize
        var bands: Int
        var samples: [UInt8]

        init(_ size: PixelSize, bands: Int, samples: [UInt8]) {
            self.size = size
            self.bands = bands
            self.samples = samples
        }

        init(_ size: PixelSize, bands: Int, _ value: (_ x: Int, _ y: Int, _ band: Int) -> UInt8) {
            self.size = size
            self.bands = bands
            samples = (0..<size.height).flatMap { y in
                (0..<size.width).flatMap { x in (0..<bands).map { value(x, y, $0) } }
            }
        }
    }

    @Test(arguments: [
        (40, 30, 20, 15), (41, 29, 40, 28), (17, 90, 17, 31), (90, 17, 31, 17), (64, 64, 17, 23), (5, 5, 5, 5),
        (3, 3, 1, 1), (1, 9, 1, 4), (200, 7, 67, 2),
    ])
    func `every sample is the sum with Lanczos weights`(
        width: Int,
        height: Int,
        newWidth: Int,
        newHeight: Int
    ) throws {
        let (source, target) = (PixelSize(width: width, height: height), PixelSize(width: newWidth, height: newHeight))
        for bands in 3...4 {
            var generator = SeededGenerator(seed: UInt64(width * 1000 + height + bands))
            let picture = Picture(source, bands: bands) { _, _, _ in UInt8.random(in: 0...255, using: &generator) }
            let made = try resampled(picture, to: target)
            let expected = exact(picture, to: target)
            #expect(made.count == expected.count)
            for (index, value) in made.enumerated() {
                let right = min(max(expected[index], 0), 255)
                #expect(abs(Double(value) - right) <= 0.75, "sample \(index): \(value) for \(right)")
            }
        }
    }

    @Test(arguments: [(4000, 3000, 37, 29), (333, 257, 20, 15), (1001, 999, 1, 1), (129, 65, 30, 16)])
    func `a strongly reduced image keeps positions and colours`(
        width: Int,
        height: Int,
        newWidth: Int,
        newHeight: Int
    ) throws {
        let (source, target) = (PixelSize(width: width, height: height), PixelSize(width: newWidth, height: newHeight))
        // On a linear gradient, a result has the value of its position.
        let picture = Picture(source, bands: 3, samples: PixelImage.ramp(width: width, height: height))
        let made = try resampled(picture, to: target)
        for y in 0..<newHeight {
            for x in 0..<newWidth {
                let start = (y * newWidth + x) * 3
                // Repeated edge samples and negative weights make the edges slightly steeper.
                let isInside = x > 2 && y > 2 && x < newWidth - 3 && y < newHeight - 3
                let allowed = isInside ? 1.5 : 0.35 * 255 / Double(min(newWidth, newHeight)) + 1.5
                let across = ((Double(x) + 0.5) * Double(width) / Double(newWidth) - 0.5) / Double(max(1, width - 1))
                let down = ((Double(y) + 0.5) * Double(height) / Double(newHeight) - 0.5) / Double(max(1, height - 1))
                #expect(abs(Double(made[start]) - across * 255) <= allowed)
                #expect(abs(Double(made[start + 1]) - down * 255) <= allowed)
                #expect(made[start + 2] == 90)
            }
        }
    }

    @Test(arguments: [500, 125, 31, 8])
    func `thumbnails of a noisy sky have its brightness`(width: Int) throws {
        let source = PixelSize(width: 1600, height: 1200)
        let picture = Picture(source, bands: 3, samples: PixelImage.noisySky(width: 1600, height: 1200))
        let made = try resampled(picture, to: PixelSize(width: width, height: width * 3 / 4))
        let means = [picture.samples, made].map { PixelImage.means($0, bands: 3) }
        for band in 0..<3 {
            // With few pixels, rounding errors do not average out.
            let allowed = width < 31 ? 0.15 : 0.05
            #expect(abs(means[1][band] - means[0][band]) <= allowed, "band \(band): \(means)")
        }
    }

    @Test func `every size produces all rows`() throws {
        var generator = SeededGenerator(seed: 20)
        for round in 0..<300 {
            let longest = round.isMultiple(of: 3) ? 300 : 30
            let source = PixelSize(
                width: .random(in: 1...longest, using: &generator),
                height: .random(in: 1...longest, using: &generator)
            )
            let target = PixelSize(
                width: .random(in: 1...source.width, using: &generator),
                height: .random(in: 1...source.height, using: &generator)
            )
            let bands = Int.random(in: 3...4, using: &generator)
            let samples = [UInt8](repeating: 200, count: source.pixels * bands)
            let made = try resampled(Picture(source, bands: bands, samples: samples), to: target)
            #expect(made.count == target.pixels * bands && made.allSatisfy { $0 == 200 }, "\(source) to \(target)")
        }
    }

    @Test(arguments: [0, 1, 127, 254, 255] as [UInt8])
    func `a uniform colour is unchanged`(value: UInt8) throws {
        let sizes = [(640, 480, 639, 479), (640, 480, 211, 97), (1999, 33, 50, 1), (101, 1001, 3, 77)]
        for (width, height, newWidth, newHeight) in sizes {
            let samples = [UInt8](repeating: value, count: width * height * 3)
            let picture = Picture(PixelSize(width: width, height: height), bands: 3, samples: samples)
            let made = try resampled(picture, to: PixelSize(width: newWidth, height: newHeight))
            #expect(made.allSatisfy { $0 == value })
        }
    }

    @Test func `overshoot is clamped and does not wrap`() throws {
        let picture = Picture(PixelSize(width: 300, height: 200), bands: 3) { x, y, _ in
            (x / 7 + y / 5).isMultiple(of: 2) ? 255 : 0
        }
        let target = PixelSize(width: 171, height: 119)
        let made = try resampled(picture, to: target)
        for (value, expected) in zip(made, exact(picture, to: target)) {
            #expect(abs(Double(value) - min(max(expected, 0), 255)) <= 0.75)
        }
    }

    @Test func `other resizes are left to libvips`() {
        let size = PixelSize(width: 100, height: 100)
        for bands in [1, 2, 5] {
            #expect(Resampler(from: size, to: PixelSize(width: 50, height: 50), bands: bands) == nil)
        }
        for (width, height) in [(101, 50), (50, 101)] {
            #expect(Resampler(from: size, to: PixelSize(width: width, height: height), bands: 3) == nil)
        }
        // It would need thousands of rows in memory.
        let tall = PixelSize(width: 10_000, height: 100_000)
        #expect(Resampler(from: tall, to: PixelSize(width: 9_999, height: 2), bands: 3) == nil)
    }

    @Test func `transparent, 16-bit and grey images are left to libvips`() throws {
        precondition(Workbench.isStarted)
        let deadline = Deadline(milliseconds: 20_000)
        let clear = try Raster.sRGB([UInt8](repeating: 9, count: 400), width: 10, height: 10, bands: 4)
        #expect(try clear.resampled(to: PixelSize(width: 5, height: 5), deadline) == nil)
        let grey = try Raster.greyscale([UInt8](repeating: 9, count: 100), width: 10, height: 10)
        #expect(try grey.resampled(to: PixelSize(width: 5, height: 5), deadline) == nil)
        let deep = try Raster.sRGB([UInt8](repeating: 9, count: 300), width: 10, height: 10, bands: 3)
            .cast(to: VIPS_FORMAT_USHORT)
        #expect(try deep.resampled(to: PixelSize(width: 5, height: 5), deadline) == nil)
    }

    @Test func `a passed deadline ends the resize`() throws {
        precondition(Workbench.isStarted)
        let picture = try Raster.sRGB([UInt8](repeating: 9, count: 300), width: 10, height: 10, bands: 3)
        #expect(throws: WorkerReply.Failure.self) {
            try picture.resampled(to: PixelSize(width: 5, height: 5), Deadline(milliseconds: 0))
        }
    }

    @Test(.enabled(if: SharedImages.isAvailable, "needs ../shared/images"))
    func `a photograph looks like libvips' result`() throws {
        let bytes = try Workbench.photograph("kimono.jpg")
        let decoded = try Workbench.decoded(bytes, as: .jpeg)
        for width in [decoded.width - 1, decoded.width * 3 / 5, decoded.width / 3, decoded.width / 11] {
            let height = decoded.height * width / decoded.width
            let ours = try #require(
                try decoded.resampled(to: PixelSize(width: width, height: height), Deadline(milliseconds: 20_000))
            )
            let theirs = try decoded.resized(width: width, height: height)
            let (left, right) = (try Workbench.pixels(of: ours), try Workbench.pixels(of: theirs))
            #expect(ImageComparison.structuralSimilarity(left, right) >= 0.998)
            #expect(ImageComparison.meanDifference(left, right) <= 1)
        }
    }

    /// A zone plate, whose rings become ever finer towards the edges: the finest detail that pixels can show.
    @Test(arguments: [(30, 1.0), (29, 1.0), (18, 1.0), (16, 1.6)])
    func `detail too fine for the result leaves no more traces than with libvips`(width: Int, factor: Double) throws {
        precondition(Workbench.isStarted)
        let size = PixelSize(width: 119, height: 119)
        let plate = Picture(size, bands: 1) { x, y, _ in
            let (across, down) = (Double(x) - 59, Double(y) - 59)
            return UInt8(127.5 + 127 * cos(.pi * (across * across + down * down) / 119))
        }
        let picture = Picture(size, bands: 3) { x, y, _ in plate.samples[y * 119 + x] }
        let target = PixelSize(width: width, height: width)
        let right = exact(plate, to: target)
        func error(_ samples: [UInt8]) -> Double {
            let squares = right.indices.reduce(0.0) { sum, index in
                let difference = Double(samples[3 * index]) - min(max(right[index], 0), 255)
                return sum + difference * difference
            }
            return (squares / Double(right.count)).squareRoot()
        }
        let ours = try error(resampled(picture, to: target))
        let raster = try Raster.sRGB(picture.samples, width: 119, height: 119, bands: 3)
        let theirs = try error(raster.resized(width: width, height: width).pixelBytes())
        #expect(ours <= factor * theirs + 0.1, "\(ours), libvips \(theirs)")
    }

    /// Runs the resampler on an image.
    private func resampled(_ picture: Picture, to target: PixelSize) throws -> [UInt8] {
        let resampler = try #require(Resampler(from: picture.size, to: target, bands: picture.bands))
        let length = target.width * picture.bands
        var made: [UInt8] = []
        let take = { (row: UnsafeRawPointer) in
            unsafe made += UnsafeRawBufferPointer(start: row, count: length)
        }
        unsafe picture.samples.withUnsafeBufferPointer { samples in
            guard let start = samples.baseAddress else { return }
            for y in 0..<picture.size.height {
                unsafe resampler.push(start + y * picture.size.width * picture.bands, take)
            }
        }
        unsafe resampler.finish(take)
        return made
    }

    /// The same in floats, by definition; for factors below four.
    private func exact(_ picture: Picture, to target: PixelSize) -> [Double] {
        ReferenceFilters.lanczos(
            picture.samples,
            width: picture.size.width,
            height: picture.size.height,
            bands: picture.bands,
            newWidth: target.width,
            newHeight: target.height
        )
    }
}
