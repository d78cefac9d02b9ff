import CVips
import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

/// Cleaning in the worker, on files of real encoders and with real decoders.
@Suite(.timeLimit(.minutes(1)))
struct CleaningTests {
    /// Metadata that cleaned files must not have; a colour profile and an orientation may stay.
    private static let forbidden = [
        "exif-ifd0-Make", "exif-ifd3", "xmp-data", "iptc-data", "jpeg-thumbnail-data", "png-comment", "gif-comment",
    ]

    private func check(_ file: [UInt8], as format: ImageFormat, _ name: String = "") throws {
        let made = try Workbench.clean(file, as: format)
        #expect(made.bytes.count <= file.count + 64, "\(name)")
        let before = try Workbench.decode(file, as: format)
        let after = try Workbench.decode(made.bytes, as: format)
        let isSame = before == after
        #expect(isSame, "\(name)")
        let old = try Workbench.metadata(Workbench.made(file, as: format))
        let new = try Workbench.metadata(made)
        #expect(new.integer(VIPS_META_ORIENTATION) ?? 1 == old.integer(VIPS_META_ORIENTATION) ?? 1, "\(name)")
        #expect(new.fields.contains("icc-profile-data") == old.fields.contains("icc-profile-data"), "\(name)")
        for field in new.fields {
            #expect(!Self.forbidden.contains { field.hasPrefix($0) }, "\(name): \(field)")
        }
        #expect(made.description.width == new.width && made.description.format == .picture(format), "\(name)")
    }

    @Test(arguments: [ImageFormat.jpeg, .png, .webp])
    func `keeps pixels, profile and orientation, and removes everything else`(format: ImageFormat) throws {
        let picture = PixelImage(width: 48, height: 32) { x, y in [UInt8(x * 5), UInt8(y * 7), 90, 255] }
        let tagged = try TaggedImages.make(picture, as: format)
        let raster = try Workbench.metadata(try Workbench.made(tagged, as: format))
        #expect(raster.has("icc-profile-data") && raster.has("xmp-data"))
        // Not every PNG encoder of libvips writes EXIF.
        #expect(raster.has("exif-ifd0-Make") || format == .png)
        try check(tagged, as: format)
        let cleaned = try Workbench.clean(tagged, as: format).bytes
        #expect(!cleaned.contains(TaggedImages.secret))
    }

    @Test func `an animation keeps its frames and their times`() throws {
        let palette: [(UInt8, UInt8, UInt8)] = [(0, 0, 0), (255, 0, 0), (0, 255, 0), (0, 0, 255)]
        let frames = (0..<3).map { frame in [UInt8](repeating: UInt8(frame + 1), count: 64) }
        let gif = TestImages.gif(width: 8, height: 8, palette: palette, frames: frames, delays: [5, 7, 9], loop: 4)
        let comment = [0x21, 0xFE, 4] + Array("here".utf8) + [0]
        let made = try Workbench.clean(Array(gif.dropLast()) + comment + [0x3B], as: .gif)
        #expect(made.bytes == gif)
        #expect(made.description.frames == 3)
        let webp = try Workbench.make("format=webp&meta=keep", of: gif, as: .gif).bytes
        try check(webp, as: .webp)
    }

    @Test(arguments: [ImageFormat.jpeg, .png, .webp, .gif])
    func `a truncated file is broken, and never returned`(format: ImageFormat) throws {
        let picture = PixelImage(width: 48, height: 32) { x, y in [UInt8(x * 5), UInt8(y * 7), 90, 255] }
        let file = try Workbench.make("format=\(format)", of: Workbench.png(picture), as: .png).bytes
        for length in [file.count / 2, file.count * 3 / 4] {
            #expect {
                try Workbench.clean(Array(file.prefix(length)), as: format)
            } throws: { error in
                if case .broken = error as? WorkerReply.Failure { true } else { false }
            }
        }
    }

    @Test func `a format that cannot be cleaned is refused`() throws {
        let picture = PixelImage(width: 48, height: 32) { x, y in [UInt8(x * 5), UInt8(y * 7), 90, 255] }
        let avif = try Workbench.make("format=avif", of: Workbench.png(picture), as: .png).bytes
        #expect {
            try Workbench.clean(avif, as: .avif)
        } throws: { error in
            if case .refused = error as? WorkerReply.Failure { true } else { false }
        }
    }

    private static let photographs = [
        "animated-99-frames.webp", "bus-12mp.jpg", "cogs.gif", "dispose-background.gif", "dispose-background.png",
        "dispose-previous.gif", "dispose-previous.png", "exif-landscape-1.jpg", "exif-landscape-6.jpg",
        "exif-landscape-8.jpg", "fox.jpg", "hato.jpg", "icc-red-at-12-oclock.jpg", "icc-xyb.jpg", "indexed.png",
        "kimono.jpg", "photo.webp", "rgba.png", "sample-16bit.png", "trans-x.gif", "trans-x.png",
    ]

    @Test(.enabled(if: SharedImages.isAvailable))
    func `real photographs look the same`() throws {
        for name in Self.photographs {
            guard let bytes = SharedImages.bytes(name),
                case .image(let header) = ImageSniffer.sniff(bytes.span, totalLength: bytes.count),
                [.jpeg, .png, .gif, .webp].contains(header.format)
            else {
                Issue.record("\(name) cannot be read")
                continue
            }
            try check(bytes, as: header.format, name)
        }
    }
}

/// Images with all metadata that libvips can write.
enum TaggedImages {
    static let secret = Array("GPS 52.5N 13.4E".utf8)

    static func make(_ picture: PixelImage, as format: ImageFormat) throws -> [UInt8] {
        let png = try Workbench.make("format=png", of: Workbench.png(picture), as: .png)
        let plain = try Workbench.metadata(png)
        // A conversion to sRGB attaches libvips' own sRGB profile.
        let raster = try Raster.make("test") { out in
            unsafe edge_vips_icc_to_srgb(plain.pointer, &out, "srgb", VIPS_INTENT_RELATIVE)
        }
        .inMemory()
        let image = unsafe raster.pointer
        for (field, text) in [
            ("exif-ifd0-Make", "Camera"), ("exif-ifd3-GPSLatitudeRef", "N"),
            ("exif-ifd0-ImageDescription", String(decoding: secret, as: UTF8.self)),
        ] {
            let count = text.utf8.count + 1
            unsafe vips_image_set_string(image, field, "\(text) (\(text), ASCII, \(count) components, \(count) bytes)")
        }
        let xmp = Array("<x:xmpmeta>".utf8) + secret + Array("</x:xmpmeta>".utf8)
        unsafe vips_image_set_blob_copy(image, "xmp-data", xmp, xmp.count)
        unsafe vips_image_set_int(image, "orientation", 6)
        return try Workbench.encodeWithMetadata(raster, as: format)
    }
}
