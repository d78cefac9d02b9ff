import Glibc
import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

@Suite(.timeLimit(.minutes(1)), .enabled(if: SharedImages.isAvailable))
struct PhotographTests {
    @Test func `twelve megapixels become 512x384`() throws {
        let source = try Workbench.photograph("bus-12mp.jpg")
        let small = try Workbench.make("w=512&format=png", of: source, as: .jpeg)
        #expect(small.description.width == 512)
        #expect(small.description.height == 384)
        // A crop at full size before the resize: everything is decoded, and must look the same.
        let full = try Workbench.pixels("blur=0.3&w=512", of: source, as: .jpeg)
        #expect(try ImageComparison.structuralSimilarity(Workbench.decode(small), full) > 0.97)
    }

    @Test func `a crop before the resize is the same with shrink-on-load`() throws {
        let source = try Workbench.photograph("bus-12mp.jpg")
        let shrunk = try Workbench.pixels("crop=1600,800,1600,1600&w=200", of: source, as: .jpeg)
        let full = try Workbench.pixels("blur=0.3&crop=1600,800,1600,1600&w=200", of: source, as: .jpeg)
        #expect(ImageComparison.structuralSimilarity(shrunk, full) > 0.97)
    }

    @Test(arguments: 2...8)
    func `the eight orientations come out upright and equal`(orientation: Int) throws {
        for query in ["w=450", "w=300&h=300&fit=cover&gravity=west", "crop=0,0,900,600&h=200", "flip=v&w=450"] {
            let upright = try Workbench.pixels(query, of: Workbench.photograph("exif-landscape-1.jpg"), as: .jpeg)
            let turned = try Workbench.pixels(
                query,
                of: Workbench.photograph("exif-landscape-\(orientation).jpg"),
                as: .jpeg
            )
            #expect(turned.width == upright.width)
            #expect(ImageComparison.structuralSimilarity(turned, upright) > 0.96, "\(query)")
            #expect(ImageComparison.meanDifference(turned, upright) < 3, "\(query)")
        }
    }

    /// The wheel shows, after conversion by its profile, the pure colours of sRGB at the even hours.
    @Test(
        arguments: [
            (12, [255, 0, 0]), (2, [255, 255, 0]), (4, [0, 255, 0]), (6, [0, 255, 255]), (8, [0, 0, 255]),
            (10, [255, 0, 255]),
        ] as [(Int, [UInt8])]
    )
    func `an embedded profile is applied`(hour: Int, colour: [UInt8]) throws {
        let pixels = try Workbench.pixels("w=400", of: Workbench.photograph("icc-red-at-12-oclock.jpg"), as: .jpeg)
        // The hue changes by one degree per degree; the pure colour must be within four degrees of the hour.
        let distances = (-4...4).map { offset in
            let angle = Double(hour * 30 + offset) * .pi / 180
            let shown = pixels[Int(200 + 153 * sin(angle)), Int(200 - 153 * cos(angle))]
            return ImageComparison.colourDistance(shown, colour)
        }
        #expect((distances.min() ?? 100) < 3, "\(distances)")
    }

    @Test func `a profile with only a perceptual table is applied through it`() throws {
        let pixels = try Workbench.pixels("w=290", of: Workbench.photograph("icc-xyb.jpg"), as: .jpeg)
        // Straw, which would be green without the profile's table.
        let straw = pixels.cropped(x: 0, y: 100, width: 40, height: 40)
        let sums = (0..<3).map { channel in
            (0..<1600).reduce(0) { $0 + Int(straw[$1 % 40, $1 / 40][channel]) }
        }
        #expect(sums[0] > sums[1] && sums[1] > sums[2], "\(sums)")
    }

    @Test func `conversion after the resize gives the same colours as before`() throws {
        let source = try Workbench.photograph("icc-red-at-12-oclock.jpg")
        let late = try Workbench.pixels("w=200", of: source, as: .jpeg)
        let early = try Workbench.pixels("blur=0.3&w=200", of: source, as: .jpeg)
        #expect(ImageComparison.meanDifference(late, early) < 1.5)
    }

    @Test(arguments: [("truncated.jpg", ImageFormat.jpeg), ("truncated.gif", .gif)])
    func `broken files are broken`(name: String, format: ImageFormat) throws {
        let source = try Workbench.photograph("broken/\(name)")
        let failure = #expect(throws: WorkerReply.Failure.self) {
            try Workbench.make("w=64&format=png", of: source, as: format)
        }
        guard case .broken = failure else {
            Issue.record("\(name): \(String(describing: failure))")
            return
        }
    }

    @Test(arguments: [
        ("rgba.png", ImageFormat.png), ("indexed.png", .png), ("sample-16bit.png", .png), ("sample-16bit.tif", .tiff),
        ("photo.webp", .webp), ("hato-8bit.avif", .avif), ("fox-10bit.avif", .avif), ("icc-xyb.jpg", .jpeg),
        ("cogs.gif", .gif), ("broken/looks-like-svg.webp", .webp),
    ])
    func `formats and depths decode`(name: String, format: ImageFormat) throws {
        let pixels = try Workbench.pixels("w=64", of: Workbench.photograph(name), as: format)
        #expect(pixels.width <= 64)
        #expect(Set(pixels.bytes).count > 8)
    }

    @Test(arguments: [("fox-10bit.avif", "fox.jpg"), ("hato-8bit.avif", "hato.jpg")])
    func `AVIF looks like the photograph that it was made from`(avif: String, jpeg: String) throws {
        let one = try Workbench.pixels("w=300", of: Workbench.photograph(avif), as: .avif)
        let two = try Workbench.pixels("w=300", of: Workbench.photograph(jpeg), as: .jpeg)
        #expect(ImageComparison.structuralSimilarity(one, two) > 0.9)
    }

    @Test func `16-bit images become 8-bit ones with the same appearance`() throws {
        let png = try Workbench.pixels("w=100", of: Workbench.photograph("sample-16bit.png"), as: .png)
        let tiff = try Workbench.pixels("w=100", of: Workbench.photograph("sample-16bit.tif"), as: .tiff)
        #expect(ImageComparison.meanDifference(png, tiff) < 2)
    }

    @Test(arguments: ["dispose-background", "dispose-previous", "trans-x"])
    func `frames are disposed of as a browser does`(name: String) throws {
        let made = try Workbench.make("format=webp&lossless=1", of: Workbench.photograph("\(name).gif"), as: .gif)
        let shown = try Workbench.decode(made)
        let expected = try Workbench.decode(Workbench.photograph("\(name).png"), as: .png)
        #expect(shown.width == expected.width && shown.height == expected.height)
        // Every frame, one below the other, with its visible colours.
        var wrong = 0
        for y in 0..<expected.height {
            for x in 0..<expected.width where shown.alpha(x, y) > 0 || expected.alpha(x, y) > 0 {
                if shown.alpha(x, y) != expected.alpha(x, y) || shown[x, y].prefix(3) != expected[x, y].prefix(3) {
                    wrong += 1
                }
            }
        }
        #expect(wrong == 0)
    }

    @Test func `pngsuite decodes, and its corrupt files are refused`() throws {
        let names = TemporaryFolder.names(in: SharedImages.path("pngsuite")).filter { $0.hasSuffix(".png") }
        #expect(names.count > 100)
        for name in names {
            let source = try Workbench.photograph("pngsuite/\(name)")
            if name.hasPrefix("x") {
                #expect(throws: WorkerReply.Failure.self, "\(name)") {
                    try Workbench.make("w=16&format=png", of: source, as: .png)
                }
            } else {
                #expect(throws: Never.self, "\(name)") { try Workbench.make("w=16&format=png", of: source, as: .png) }
            }
        }
    }

    @Test func `PngSuite's valid files match the specification`() throws {
        let names = TemporaryFolder.names(in: SharedImages.path("pngsuite")).filter { $0.hasSuffix(".png") }
        for name in names where !name.hasPrefix("x") {
            let source = try Workbench.photograph("pngsuite/\(name)")
            let expected = try ReferencePNG.decode(source)
            let shown = try Workbench.decode(source, as: .png)
            #expect(shown.channels == expected.channels && shown.width == expected.width, "\(name)")
            let largest = zip(shown.bytes, expected.bytes).map { abs(Int($0) - Int($1)) }.max()
            // 16 bits may be rounded or cut.
            #expect(largest ?? 255 <= 1, "\(name)")
        }
    }

    @Test func `meta selects the metadata that is kept`() throws {
        let source = try Workbench.photograph("exif-landscape-6.jpg")
        for (policy, keeps) in [("strip", false), ("keep", true)] {
            let made = try Workbench.make("w=64&meta=\(policy)&format=jpeg", of: source, as: .jpeg)
            let metadata = try Workbench.metadata(made)
            #expect(metadata.has("exif-data") == keeps)
            #expect((metadata.integer("orientation") ?? 1) == 1)
            #expect(made.description.width == 64)
        }
    }
}
