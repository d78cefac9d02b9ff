import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

@Suite(.timeLimit(.minutes(1)))
struct PixelTests {
    @Test func `hidden colours under transparency do not bleed`() throws {
        // Left: opaque blue. Right: transparent, but red underneath.
        let source = PixelImage(width: 64, height: 64) { x, _ in x < 32 ? [0, 0, 255, 255] : [255, 0, 0, 0] }
        for query in ["w=15", "blur=3", "rotate=10"] {
            let pixels = try Workbench.pixels(query, of: Workbench.png(source))
            for index in 0..<pixels.width * pixels.height where pixels.bytes[index * 4 + 3] > 8 {
                #expect(pixels.bytes[index * 4] < 12, "\(query) at \(index)")
            }
        }
    }

    @Test func `a blur spreads an edge and keeps the mean`() throws {
        let source = PixelImage(width: 80, height: 80) { x, _ in x < 40 ? [0, 0, 0, 255] : [240, 240, 240, 255] }
        let pixels = try Workbench.pixels("blur=6", of: Workbench.png(source))
        #expect((100...140).contains(pixels[40, 40][0]))
        #expect(pixels[33, 40][0] > 10)
        #expect(pixels[2, 40][0] < 3)
        let mean = (0..<80).reduce(0) { $0 + Int(pixels[$1, 40][0]) } / 80
        #expect(abs(mean - 120) <= 2)
    }

    @Test func `a blur on a reduced image looks like one at full size`() throws {
        // Two blurs of 11 equal one of 15.56, which alone runs on a reduced image.
        let source = PixelImage(width: 200, height: 150) { x, y in
            (x / 50 + y / 50).isMultiple(of: 2) ? [220, 30, 90, 255] : [10, 180, 140, 255]
        }
        let twice = try Workbench.pixels("blur=11&blur=11", of: Workbench.png(source))
        let once = try Workbench.pixels("blur=15.556", of: Workbench.png(source))
        #expect(ImageComparison.meanDifference(twice, once) < 2)
        #expect(ImageComparison.structuralSimilarity(twice, once) > 0.95)
    }

    @Test func `sharpening raises the contrast of an edge`() throws {
        let source = PixelImage(width: 40, height: 40) { x, _ in
            let value = UInt8(max(60, min(190, 60 + (x - 17) * 22)))
            return [value, value, value, 255]
        }
        let pixels = try Workbench.pixels("sharpen=1.5", of: Workbench.png(source))
        let row = (0..<40).map { pixels[$0, 20][0] }
        #expect((row.max() ?? 0) > 194)
        #expect((row.min() ?? 255) < 56)
    }

    /// The picture with black under transparency.
    private func visible(_ image: PixelImage) -> PixelImage {
        PixelImage(width: image.width, height: image.height) { x, y in
            image.alpha(x, y) == 0 ? [0, 0, 0, 0] : image[x, y]
        }
    }

    @Test(arguments: ["0.5", "2", "10"])
    func `sharpening keeps a uniform shape, whatever colours are hidden around it`(sigma: String) throws {
        for hidden: [UInt8] in [[0, 0, 0, 0], [255, 255, 255, 0], [0, 255, 0, 0]] {
            let source = PixelImage(width: 61, height: 48) { x, y in
                (x - 30) * (x - 30) + (y - 20) * (y - 20) < 300 ? [200, 60, 60, 255] : hidden
            }
            let pixels = try Workbench.pixels("sharpen=\(sigma)", of: Workbench.png(source))
            #expect(visible(pixels) == visible(source))
        }
    }

    @Test func `sharpening depends on visible colours alone`() throws {
        let hidden: [[UInt8]] = [[0, 0, 0, 0], [255, 255, 255, 0], [0, 255, 0, 0]]
        let results = try hidden.map { hidden in
            let source = PixelImage(width: 40, height: 33) { x, y in
                let alpha = min(255, max(0, 400 - 6 * x - 9 * y))
                return alpha == 0 ? hidden : [UInt8(x * 6), UInt8(x * y % 256), 90, UInt8(alpha)]
            }
            return try visible(Workbench.pixels("sharpen=1.5", of: Workbench.png(source)))
        }
        #expect(results[0] == results[1] && results[0] == results[2])
        #expect(results[0].alpha(20, 30) == 10 && results[0].alpha(39, 32) == 0)
    }

    @Test func `visible colours extend under transparency, the nearest first`() throws {
        precondition(Workbench.isStarted)
        // Red on the left and blue on the right, with green hidden between them.
        let source = PixelImage(width: 97, height: 35) { x, _ in
            x < 20 ? [220, 0, 0, 255] : x < 80 ? [0, 255, 0, 0] : [0, 0, 220, 3]
        }
        let deadline = Deadline(milliseconds: 20_000)
        let raster = try Raster.sRGB(source.bytes, width: 97, height: 35, bands: 4)
        let extended = try Workbench.pixels(of: raster.withExtendedColours(softness: 1.0 / 32, deadline))
        for y in 0..<35 {
            for x in 0..<97 {
                let pixel = extended[x, y]
                #expect(pixel[3] == source.alpha(x, y))
                if pixel[3] > 0 { #expect(pixel == source[x, y]) }
                #expect(pixel[1] == 0 && abs(Int(pixel[0]) + Int(pixel[2]) - 220) <= 1)
                if (20..<28).contains(x) { #expect(pixel[0] > 210) }
                if x == 79 { #expect(pixel[2] > 110) }
            }
        }
        let soft = try Workbench.pixels(of: raster.withExtendedColours(softness: 1.0 / 4, deadline))
        #expect(soft[79, 9][2] < extended[79, 9][2])
    }

    @Test func `colours under transparency are means by alpha`() throws {
        precondition(Workbench.isStarted)
        let source = PixelImage(width: 8, height: 4) { x, _ in
            x < 2 ? [220, 0, 0, 255] : x < 4 ? [0, 0, 220, 5] : [0, 255, 0, 0]
        }
        let raster = try Raster.sRGB(source.bytes, width: 8, height: 4, bands: 4)
        let extended = try raster.withExtendedColours(softness: 1.0 / 32, Deadline(milliseconds: 20_000))
        let pixel = try Workbench.pixels(of: extended)[7, 2]
        #expect(pixel[0] > 200 && pixel[2] < 20)
    }

    @Test func `a picture without visible or without hidden colours stays as it is`() throws {
        precondition(Workbench.isStarted)
        let deadline = Deadline(milliseconds: 20_000)
        for (alpha, size) in [(0, 9), (255, 9), (1, 9), (0, 1)] {
            let source = PixelImage(width: size, height: 1) { x, _ in [UInt8(x * 20), 7, 9, UInt8(alpha)] }
            let raster = try Raster.sRGB(source.bytes, width: size, height: 1, bands: 4)
            #expect(try Workbench.pixels(of: raster.withExtendedColours(softness: 1.0 / 32, deadline)) == source)
        }
    }

    @Test func `an opaque background shows through transparency in every format`() throws {
        let source = PixelImage(width: 8, height: 8) { _, _ in [255, 255, 255, 0] }
        let made = try Workbench.make("bg=102030&format=png", of: Workbench.png(source), as: .png)
        #expect(!made.description.hasAlpha)
        #expect(try Workbench.decode(made)[4, 4] == [16, 32, 48])
    }

    @Test func `a translucent background shows through transparency, too`() throws {
        let source = PixelImage(width: 8, height: 8) { x, _ in x < 4 ? [0, 255, 0, 255] : [0, 0, 0, 0] }
        let pixels = try Workbench.pixels("bg=ff000080", of: Workbench.png(source))
        #expect(pixels[1, 1] == [0, 255, 0, 255])
        #expect(pixels[6, 1] == [255, 0, 0, 128])
    }

    @Test func `a translucent background is composited under translucent pixels exactly, apart from rounding`() throws {
        let source = PixelImage(width: 256, height: 3) { x, y in [UInt8(x), 40, UInt8(255 - x), UInt8(x)] }
        let pixels = try Workbench.pixels("bg=10f06080", of: Workbench.png(source))
        let (under, colour) = (128.0 / 255, [16.0, 240, 96])
        for x in 0..<256 {
            let over = Double(x) / 255
            let alpha = over + under * (1 - over)
            #expect(abs(Double(pixels[x, 1][3]) - 255 * alpha) <= 0.51)
            for channel in 0..<3 {
                let right = (Double(source[x, 1][channel]) * over + colour[channel] * under * (1 - over)) / alpha
                #expect(abs(Double(pixels[x, 1][channel]) - right) <= 0.52, "\(x)")
            }
        }
    }

    @Test(arguments: ["jpeg", "png", "webp", "avif", "gif"])
    func `every format is encoded as itself and looks like the source`(format: String) throws {
        let source = PixelImage(width: 96, height: 64) { x, y in [UInt8(x * 2), UInt8(y * 3), 90, 255] }
        let made = try Workbench.make("q=90&format=\(format)", of: Workbench.png(source), as: .png)
        #expect("\(made.description.format)" == format)
        #expect(made.description.frames == 1)
        #expect(made.description.length == made.bytes.count)
        let pixels = try Workbench.decode(made)
        #expect(ImageComparison.meanDifference(pixels, source) < 4)
    }

    @Test func `auto returns its bucket's format`() throws {
        let opaque = Workbench.png(PixelImage(width: 8, height: 8) { _, _ in [1, 2, 3, 255] })
        #expect(try Workbench.make("w=4", of: opaque, as: .png, bucket: .webp).description.format == .webp)
        #expect(try Workbench.make("w=4", of: opaque, as: .png).description.format == .png)
    }

    @Test func `limits are enforced before decoding`() {
        let source = Workbench.png(PixelImage(width: 30, height: 30) { _, _ in [1, 2, 3, 255] })
        #expect(throws: WorkerReply.Failure.refused("900 pixels; the limit is 899")) {
            try Workbench.make("w=4", of: source, as: .png, maximumPixels: 899)
        }
        #expect(throws: Never.self) { try Workbench.make("w=4", of: source, as: .png, maximumPixels: 900) }
    }

    @Test func `formats off the allow-list are unsupported`() {
        // Compressed SVG is expanded first; no coder reads it directly.
        #expect(throws: WorkerReply.Failure.unsupported("decoding svgz is not supported")) {
            try Workbench.decode([1, 2, 3], as: .svgz)
        }
    }

    @Test func `libvips never chooses a loader by itself`() {
        let source = Workbench.png(PixelImage(width: 8, height: 8) { _, _ in [1, 2, 3, 255] })
        for format in [ImageFormat.jpeg, .gif, .webp, .avif, .tiff] {
            #expect(throws: WorkerReply.Failure.self) { try Workbench.make("w=4", of: source, as: format) }
        }
    }

    @Test func `a deadline in the past ends the job`() {
        let source = Workbench.png(
            PixelImage(width: 900, height: 900) { x, y in [UInt8(x % 256), UInt8(y % 256), 3, 255] }
        )
        #expect(throws: WorkerReply.Failure.deadline) {
            try Workbench.make("blur=11&blur=11&blur=11&format=png", of: source, as: .png, milliseconds: 20)
        }
    }
}
