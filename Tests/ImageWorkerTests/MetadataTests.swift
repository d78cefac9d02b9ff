import CVips
import Glibc
import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

@Suite(.timeLimit(.minutes(1)))
struct MetadataTests {
    /// A JPEG with copyright, camera and orientation in its EXIF block, and an XMP block.
    private func tagged() throws -> [UInt8] {
        let upright = PixelImage(width: 32, height: 16) { x, _ in [UInt8(x * 8), 80, 80, 255] }
        let raster = try raster(upright)
        let image = unsafe raster.pointer
        for (field, value) in [
            ("exif-ifd0-Copyright", "Someone (Someone, ASCII, 8 components, 8 bytes)"),
            ("exif-ifd0-Artist", "A. Artist (A. Artist, ASCII, 10 components, 10 bytes)"),
            ("exif-ifd0-Make", "Camera (Camera, ASCII, 7 components, 7 bytes)"),
        ] {
            unsafe vips_image_set_string(image, field, value)
        }
        let xmp = Array("<x:xmpmeta/>".utf8)
        unsafe vips_image_set_blob_copy(image, "xmp-data", xmp, xmp.count)
        unsafe vips_image_set_int(image, "orientation", 6)
        return try encode(raster)
    }

    private func raster(_ image: PixelImage) throws -> Raster {
        precondition(Workbench.isStarted)
        let rgb = image.bytes.enumerated().filter { $0.offset % 4 < 3 }.map(\.element)
        let made = try Raster.make("test") { out in
            unsafe out = rgb.withUnsafeBytes { buffer in
                unsafe vips_image_new_from_memory_copy(
                    buffer.baseAddress,
                    buffer.count,
                    CInt(image.width),
                    CInt(image.height),
                    3,
                    VIPS_FORMAT_UCHAR
                )
            }
            return unsafe out == nil ? -1 : 0
        }
        return try Raster.make("test") { out in unsafe edge_vips_copy_as(made.pointer, &out, VIPS_INTERPRETATION_sRGB) }
    }

    private func encode(_ raster: Raster) throws -> [UInt8] {
        try Workbench.encodeWithMetadata(raster, as: .jpeg)
    }

    @Test(arguments: [
        ("strip", [false, false, false, false]), ("copyright", [true, true, false, false]),
        ("keep", [true, true, true, true]),
    ])
    func `meta selects the metadata that is kept`(policy: String, expected: [Bool]) throws {
        let query = policy == "strip" ? "w=16&format=jpeg" : "w=16&meta=\(policy)&format=jpeg"
        let made = try Workbench.make(query, of: tagged(), as: .jpeg)
        let metadata = try Workbench.metadata(made)
        let fields = ["exif-ifd0-Copyright", "exif-ifd0-Artist", "exif-ifd0-Make", "xmp-data"]
        #expect(fields.map { metadata.has($0) } == expected, "\(metadata.fields)")
    }

    @Test(.enabled(if: AVIFEncoder.isThere))
    func `the copyright of an AVIF survives a resize as it is`() throws {
        let avif = try Workbench.make("meta=keep&format=avif", of: tagged(), as: .jpeg).bytes
        let fields = ["exif-ifd0-Copyright", "exif-ifd0-Artist"]
        func texts(_ query: String, of source: [UInt8], as format: ImageFormat) throws -> [String] {
            let metadata = try Workbench.metadata(Workbench.make(query, of: source, as: format))
            return fields.map { field in
                var text: UnsafePointer<CChar>?
                guard unsafe vips_image_get_string(metadata.pointer, field, &text) == 0, let text = unsafe text else {
                    return "none"
                }
                return unsafe String(cString: text)
            }
        }
        let expected = try texts("meta=copyright&format=jpeg", of: tagged(), as: .jpeg)
        #expect(expected.map { $0.prefix(7) } == ["Someone", "A. Arti"])
        #expect(try texts("w=16&meta=copyright&format=jpeg", of: avif, as: .avif) == expected)
    }

    @Test(
        .enabled(if: Workbench.encodes(.jxl) && Workbench.decodes(.jxl)),
        arguments: ["strip", "copyright", "keep"]
    )
    func `a JPEG XL contains the metadata that is kept`(policy: String) throws {
        let query = policy == "strip" ? "w=16&format=jxl" : "w=16&meta=\(policy)&format=jxl"
        let made = try Workbench.make(query, of: tagged(), as: .jpeg)
        func has(_ text: String) -> Bool { made.bytes.firstRange(of: Array(text.utf8)) != nil }
        #expect((has("Exif\0\0\0\0MM\0*") || has("Exif\0\0\0\0II*\0")) == (policy != "strip"))
        #expect([has("Someone"), has("A. Artist")] == [policy != "strip", policy != "strip"])
        #expect([has("Camera"), has("<x:xmpmeta")] == [policy == "keep", policy == "keep"])
        let plain = try Workbench.make("w=16&format=jxl", of: tagged(), as: .jpeg)
        #expect(try Workbench.decode(made).bytes == Workbench.decode(plain).bytes)
    }

    @Test(
        .enabled(if: AVIFEncoder.isThere),
        arguments: ["", "<?xpacket begin=\"\u{FEFF}\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\n"]
    )
    func `the XMP of an AVIF survives a resize, with its wrapper or without`(opening: String) throws {
        let packet = Array((opening + #"<x:xmpmeta xmlns:x="adobe:ns:meta/"></x:xmpmeta>"#).utf8)
        let raster = try raster(PixelImage(width: 32, height: 16) { _, _ in [90, 80, 80, 255] })
        let source = try encode(raster.withMetadata { $0.set(VIPS_META_XMP_NAME, packet) })
        let avif = try Workbench.make("meta=keep&format=avif", of: source, as: .jpeg).bytes
        for query in ["meta=keep&format=jpeg", "w=16&meta=keep&format=webp", "w=16&meta=keep&format=avif"] {
            let metadata = try Workbench.metadata(Workbench.make(query, of: avif, as: .avif))
            #expect(metadata.bytes(VIPS_META_XMP_NAME) == packet, "\(query)")
        }
        let stripped = try Workbench.metadata(Workbench.make("w=16&format=avif", of: avif, as: .avif))
        #expect(!stripped.has(VIPS_META_XMP_NAME))
    }

    @Test func `an item is XMP if it begins as a packet does`() {
        for text in ["<?xpacket begin", "\u{FEFF}<?xpacket", " \n<x:xmpmeta", "<rdf:RDF xmlns"] {
            #expect(XMPPacket(bytes: Array(text.utf8)).isPlausible, "\(text)")
        }
        for text in ["", "\u{FEFF}", "{}", "<svg", "<?xml version"] {
            #expect(!XMPPacket(bytes: Array(text.utf8)).isPlausible, "\(text)")
        }
    }

    @Test(arguments: ["strip", "copyright", "keep"])
    func `the orientation is applied and not stated again`(policy: String) throws {
        let query = policy == "strip" ? "format=jpeg" : "meta=\(policy)&format=jpeg"
        let made = try Workbench.make(query, of: tagged(), as: .jpeg)
        #expect(made.description.width == 16)
        #expect(made.description.height == 32)
        #expect((try Workbench.metadata(made).integer("orientation") ?? 1) == 1)
    }

    @Test func `CMYK without a profile becomes sRGB of the same colours`() throws {
        // Colours that a press can print.
        let source = PixelImage(width: 32, height: 32) { x, _ in x < 16 ? [180, 60, 70, 255] : [90, 120, 150, 255] }
        let raster = try raster(source)
        let cmyk = try Raster.make("test") { out in
            unsafe edge_vips_colourspace(raster.pointer, &out, VIPS_INTERPRETATION_CMYK)
        }
        .inMemory()
        .withMetadata { $0.remove("icc-profile-data") }
        let pixels = try Workbench.pixels("w=16", of: encode(cmyk), as: .jpeg)
        #expect(pixels.channels == 3)
        #expect(ImageComparison.colourDistance(pixels[3, 8], [180, 60, 70]) < 8)
        #expect(ImageComparison.colourDistance(pixels[12, 8], [90, 120, 150]) < 8)
    }
}
