import ImagePlan
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)), .enabled(if: SharedImages.isAvailable))
struct SharedImagesSniffingTests {
    private func sniff(_ name: String) throws -> SniffResult {
        let bytes = try #require(SharedImages.bytes(name))
        return ImageSniffer.sniff(bytes.span, totalLength: bytes.count)
    }

    @Test(arguments: [
        ("bus-12mp.jpg", ImageHeader(format: .jpeg, width: 4032, height: 3024, hasAlpha: false)),
        ("hato.jpg", ImageHeader(format: .jpeg, width: 3082, height: 2048, hasAlpha: false)),
        ("fox.jpg", ImageHeader(format: .jpeg, width: 1204, height: 800, hasAlpha: false)),
        ("kimono.jpg", ImageHeader(format: .jpeg, width: 722, height: 1024, hasAlpha: false)),
        ("icc-red-at-12-oclock.jpg", ImageHeader(format: .jpeg, width: 800, height: 800, hasAlpha: false)),
        ("icc-xyb.jpg", ImageHeader(format: .jpeg, width: 290, height: 442, hasAlpha: false)),
        ("hato-8bit.avif", ImageHeader(format: .avif, width: 3082, height: 2048, hasAlpha: false)),
        ("fox-10bit.avif", ImageHeader(format: .avif, width: 1204, height: 800, hasAlpha: false)),
        ("animated-99-frames.webp", ImageHeader(format: .webp, width: 13, height: 169, frames: 99, hasAlpha: false)),
        ("photo.webp", ImageHeader(format: .webp, width: 550, height: 368, hasAlpha: false)),
        ("cogs.gif", ImageHeader(format: .gif, width: 85, height: 77, frames: 5, hasAlpha: true)),
        ("dispose-background.gif", ImageHeader(format: .gif, width: 192, height: 168, frames: 3, hasAlpha: true)),
        ("dispose-previous.gif", ImageHeader(format: .gif, width: 100, height: 100, frames: 3, hasAlpha: true)),
        ("trans-x.gif", ImageHeader(format: .gif, width: 100, height: 100, hasAlpha: true)),
        ("rgba.png", ImageHeader(format: .png, width: 128, height: 128, hasAlpha: true)),
        ("indexed.png", ImageHeader(format: .png, width: 290, height: 442, hasAlpha: false)),
        ("sample-16bit.png", ImageHeader(format: .png, width: 290, height: 442, hasAlpha: false)),
        ("sample-16bit.tif", ImageHeader(format: .tiff, width: 290, height: 442, hasAlpha: false)),
        ("small.bmp", ImageHeader(format: .bmp, width: 16, height: 12, hasAlpha: false)),
        ("logo.svg", ImageHeader(format: .svg, width: 0, height: 0, hasAlpha: true)),
        ("page-box.pdf", ImageHeader(format: .pdf, width: 0, height: 0)),
        ("broken/looks-like-svg.webp", ImageHeader(format: .webp, width: 256, height: 256, hasAlpha: true)),
        ("broken/truncated.jpg", ImageHeader(format: .jpeg, width: 290, height: 442, hasAlpha: false)),
    ])
    func `identifies the file`(name: String, expected: ImageHeader) throws {
        #expect(try sniff(name) == .image(expected))
    }

    @Test(arguments: 1...8)
    func `reads each orientation`(orientation: Int) throws {
        guard case .image(let header) = try sniff("exif-landscape-\(orientation).jpg") else {
            Issue.record("no image")
            return
        }
        #expect(header.orientation == orientation)
        #expect(header.orientedSize == PixelSize(width: 1800, height: 1200))
    }

    @Test func `reads the icon's largest image`() throws {
        guard case .image(let header) = try sniff("favicon.ico") else {
            Issue.record("no image")
            return
        }
        #expect(header.format == .ico)
        #expect(header.width == 48 && header.height == 48)
    }

    @Test func `does not mistake text for an image`() throws {
        #expect(try sniff("README.md") == .unknown)
    }

    @Test func `reads PngSuite's valid headers and rejects the others`() throws {
        // xcsn0g01's error is in the image data's checksum, and in xdtn0g01 the image data is missing.
        let refused = ["xc1n0g08", "xc9n2c08", "xd0n2c08", "xd3n2c08", "xd9n2c08", "xdtn0g01", "xhdn0g08"]
        for name in refused {
            guard case .malformed(.png, _) = try sniff("pngsuite/\(name).png") else {
                Issue.record("\(name): \(try sniff("pngsuite/\(name).png"))")
                continue
            }
        }
        for name in ["xcrn0g04", "xlfn0g04", "xs1n0g01", "xs2n0g01", "xs4n0g01", "xs7n0g01"] {
            #expect(try sniff("pngsuite/\(name).png") == .unknown, "\(name)")
        }
        for (name, alpha) in [
            ("basn6a08", true), ("basn4a16", true), ("tbbn0g04", true), ("basn2c08", false), ("basi3p04", false),
        ] {
            let expected = ImageHeader(format: .png, width: 32, height: 32, hasAlpha: alpha)
            #expect(try sniff("pngsuite/\(name).png") == .image(expected), "\(name)")
        }
    }

    @Test func `a short prefix is enough for a photograph`() throws {
        let bytes = try #require(SharedImages.bytes("bus-12mp.jpg"))
        let prefix = bytes.span.extracting(first: ImageSniffer.preferredPrefix)
        let header = ImageHeader(format: .jpeg, width: 4032, height: 3024, hasAlpha: false)
        #expect(ImageSniffer.sniff(prefix, totalLength: bytes.count) == .image(header))
    }
}
