import CVips
import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

/// JPEGs that are decoded to a quarter or less: what libjpeg-turbo makes of them, byte for byte.
@Suite(.timeLimit(.minutes(2)))
struct ScaledJPEGTests {
    /// What libjpeg-turbo makes, by libvips.
    private func expected(_ file: [UInt8], factor: Int) throws -> PixelImage {
        precondition(Workbench.isStarted)
        return try unsafe file.withUnsafeBytes { bytes in
            let raster = try Raster.make("load") { out in
                unsafe edge_vips_load_jpeg(bytes.baseAddress, bytes.count, &out, CInt(factor))
            }
            return try Workbench.pixels(of: raster)
        }
    }

    /// What `ScaledJPEG` makes; `nil` if it leaves the file to libjpeg-turbo.
    private func decoded(_ file: [UInt8], factor: Int) -> PixelImage? {
        guard let image = ScaledJPEG(file.span, factor: factor) else { return nil }
        var bytes: [UInt8] = []
        let isComplete = image.decode(file.span) { row in
            for index in row.indices { bytes.append(row[index]) }
        }
        guard isComplete else { return nil }
        return PixelImage(width: image.size.width, height: image.size.height, channels: image.bands, bytes: bytes)
    }

    private func expectEqual(_ file: [UInt8], _ comment: Comment? = nil) throws {
        for factor in [4, 8] {
            let made = try #require(decoded(file, factor: factor), comment)
            // libvips cannot have no pixels.
            guard made.width > 1, made.height > 1 else { continue }
            #expect(try isEqual(made, expected(file, factor: factor)), comment)
        }
    }

    /// Whether an image is libvips', which leaves out pixels at the right and lower edge that stand for fewer than the others.
    private func isEqual(_ made: PixelImage, _ expected: PixelImage) -> Bool {
        guard made.channels == expected.channels, (made.width - 1...made.width).contains(expected.width),
            (made.height - 1...made.height).contains(expected.height)
        else { return false }
        let (row, length) = (made.width * made.channels, expected.width * expected.channels)
        return (0..<expected.height).allSatisfy { y in
            made.bytes[y * row..<y * row + length] == expected.bytes[y * length..<(y + 1) * length]
        }
    }

    /// Waves, edges and noise in all colours.
    private static func picture(_ width: Int, _ height: Int, noise: Int = 24) -> PixelImage {
        var random = SeededGenerator(seed: UInt64(width * 8191 + height))
        return PixelImage(width: width, height: height, channels: 3) { x, y in
            let grain = noise > 0 ? Int.random(in: 0..<noise, using: &random) : 0
            let edge = (x / 13 + y / 29).isMultiple(of: 2) ? 60 : 0
            return [
                UInt8(clamping: x * 255 / max(1, width - 1) + grain - edge),
                UInt8(clamping: (x * y) % 251 / 2 + grain + edge),
                UInt8(clamping: 255 - y * 255 / max(1, height - 1) - grain),
            ]
        }
    }

    /// Encodes a picture by libjpeg-turbo with options of `jpegsave`.
    private static func jpeg(_ picture: PixelImage, isGrey: Bool = false, _ options: [String: String]) throws -> [UInt8]
    {
        precondition(Workbench.isStarted)
        let pixels = isGrey ? stride(from: 0, to: picture.bytes.count, by: 3).map { picture.bytes[$0] } : picture.bytes
        let raster =
            isGrey
            ? try Raster.greyscale(pixels, width: picture.width, height: picture.height)
            : try Raster.sRGB(pixels, width: picture.width, height: picture.height, bands: 3)
        return try raster.savedAsJPEG(options)
    }

    @Test(arguments: [(1, 1), (7, 5), (8, 8), (16, 16), (17, 33), (31, 1), (1, 40), (100, 75), (333, 222)])
    func `every size, sampling and quality gives libjpeg's bytes`(width: Int, height: Int) throws {
        let picture = Self.picture(width, height)
        for quality in [1, 20, 75, 95, 100] {
            for sampling in ["on", "off"] {
                for tables in ["true", "false"] {
                    let options = ["Q": "\(quality)", "subsample_mode": sampling, "optimize_coding": tables]
                    try expectEqual(Self.jpeg(picture, options), "\(options)")
                }
            }
            try expectEqual(Self.jpeg(picture, isGrey: true, ["Q": "\(quality)"]), "grey at \(quality)")
        }
    }

    @Test(arguments: [1, 3, 42, 500])
    func `restart markers give libjpeg's bytes`(interval: Int) throws {
        for sampling in ["on", "off"] {
            let options = ["restart_interval": "\(interval)", "subsample_mode": sampling, "Q": "92"]
            try expectEqual(Self.jpeg(Self.picture(300, 211), options), "\(options)")
        }
        try expectEqual(Self.jpeg(Self.picture(300, 211), isGrey: true, ["restart_interval": "\(interval)"]))
    }

    @Test func `data that is longer than the window, without zeros and with many, gives libjpeg's bytes`() throws {
        for noise in [1, 250] {
            let file = try Self.jpeg(Self.picture(640, 480, noise: noise), ["Q": "100", "subsample_mode": "off"])
            try expectEqual(file, "\(file.count) bytes")
        }
    }

    @Test func `pictures of our own encoder give libjpeg's bytes`() throws {
        let png = Workbench.png(Self.picture(201, 133))
        for query in ["q=30", "q=90&chroma=444", "q=90&chroma=420", "effort=0"] {
            try expectEqual(Workbench.make("format=jpeg&\(query)", of: png, as: .png).bytes, "\(query)")
        }
    }

    @Test func `files of other kinds are left to libjpeg-turbo`() throws {
        let file = try Self.jpeg(Self.picture(64, 64), ["subsample_mode": "off"])
        #expect(decoded(file, factor: 4) != nil && decoded(file, factor: 2) == nil && decoded(file, factor: 1) == nil)
        let progressive = try Self.jpeg(Self.picture(64, 64), ["interlace": "true"])
        #expect(decoded(progressive, factor: 4) == nil)
        let frame = try #require(file.firstIndex(of: [0xFF, 0xC0]))
        for (name, offset, value) in [
            ("a precision of 12 bits", 4, UInt8(12)), ("unknown lines", 6, 0), ("four components", 9, 4),
            ("colours halved across", 11, 0x21), ("arithmetic coding", 1, 0xC9),
        ] {
            var other = file
            other[frame + offset] = value
            if name == "unknown lines" { other[frame + 5] = 0 }
            #expect(decoded(other, factor: 4) == nil, "\(name)")
        }
        // Three components are RGB if Adobe's segment says so, but not beside one of JFIF.
        let adobe: [UInt8] = [0xFF, 0xEE, 0, 14] + Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 0]
        let jfif: [UInt8] = [0xFF, 0xE0, 0, 16] + Array("JFIF\0".utf8) + [1, 1, 0, 0, 1, 0, 1, 0, 0]
        #expect(decoded(Array(file[..<2] + adobe + file[2...]), factor: 4) == nil)
        try expectEqual(Array(file[..<2] + jfif + adobe + file[2...]))
    }

    @Test func `a file that ends early, or has data where none belongs, is left to libjpeg-turbo`() throws {
        let file = try Self.jpeg(Self.picture(120, 90), ["restart_interval": "5", "Q": "90"])
        for count in stride(from: 0, to: file.count, by: 37) {
            #expect(decoded(Array(file[..<count]), factor: 4) == nil, "the first \(count) bytes")
        }
        let end = file.count - 2
        #expect(decoded(Array(file[..<end] + [1, 2, 3] + file[end...]), factor: 4) == nil)
        let second = try #require(file.firstIndex(of: [0xFF, 0xD1]))
        var wrong = file
        wrong[second + 1] = 0xD3
        #expect(decoded(wrong, factor: 4) == nil)
    }

    @Test func `a file that defines its tables again has the last ones, and one of very many segments is left`() throws
    {
        let file = try Self.jpeg(Self.picture(64, 64), [:])
        // A table with one code for the end of a block.
        let other: [UInt8] = [0xFF, 0xC4, 0, 20, 0x10, 1] + [UInt8](repeating: 0, count: 16)
        func with(_ count: Int) -> [UInt8] {
            Array(file[..<2] + (0..<count).flatMap { _ in other } + file[2...])
        }
        try expectEqual(with(10))
        #expect(decoded(with(5000), factor: 4) == nil)
    }

    @Test(arguments: [1, 2, 3, 4])
    func `damaged files do no harm, and nearly all that are accepted are what libjpeg makes`(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let options = seed.isMultiple(of: 2) ? ["restart_interval": "4"] : ["subsample_mode": "off"]
        let file = try Self.jpeg(Self.picture(90, 70), options)
        var (accepted, different) = (0, 0)
        for _ in 0..<400 {
            var damaged = file
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = Int.random(in: 2..<file.count, using: &random)
                damaged[place] ^= UInt8(1) << UInt8.random(in: 0..<8, using: &random)
            }
            // libvips refuses what libjpeg warns of.
            guard let made = decoded(damaged, factor: 4), let expected = try? expected(damaged, factor: 4) else {
                continue
            }
            accepted += 1
            // Damaged tables can make samples far beyond black and white, whose arithmetic overflows in its own way.
            if !isEqual(made, expected) { different += 1 }
        }
        #expect(accepted > 20 && different * 50 <= accepted, "\(different) of \(accepted)")
    }

    @Test(.enabled(if: SharedImages.isAvailable), arguments: ["bus-12mp.jpg", "hato.jpg", "exif-landscape-6.jpg"])
    func `photographs give libjpeg's bytes, with their metadata`(name: String) throws {
        let file = try Workbench.photograph(name)
        let made = try #require(decoded(file, factor: 8))
        let expected = try expected(file, factor: 8)
        #expect(isEqual(made, expected))
        let mapping = try unsafe file.withUnsafeBytes { bytes in
            try unsafe SourceMapping(copying: UnsafeRawBufferPointer(bytes))
        }
        let raster = try JPEGCoder().open(mapping, DecodingOptions(shrink: 8))
        let lazy = try JPEGCoder().open(mapping, DecodingOptions(shrink: 1))
        #expect(raster.isInMemory && !lazy.isInMemory && raster.fields == lazy.fields)
        // libvips' image has no pixels that stand for fewer than the others.
        let whole = try raster.cropped(left: 0, top: 0, width: expected.width, height: expected.height)
        #expect(try Workbench.pixels(of: whole).bytes == expected.bytes)
        #expect(raster.width - expected.width == (lazy.width.isMultiple(of: 8) ? 0 : 1))
        #expect(raster.height - expected.height == (lazy.height.isMultiple(of: 8) ? 0 : 1))
    }
}

extension Raster {
    /// Whether the pixels have been computed.
    fileprivate var isInMemory: Bool { unsafe pointer.pointee.dtype == VIPS_IMAGE_SETBUF }

    /// Encodes by `jpegsave` with options by name.
    fileprivate func savedAsJPEG(_ options: [String: String]) throws -> [UInt8] {
        guard var operation = unsafe vips_operation_new("jpegsave_buffer") else { throw VipsError.take("new") }
        defer { unsafe g_object_unref(operation) }
        let object = unsafe UnsafeMutableRawPointer(operation).assumingMemoryBound(to: VipsObject.self)
        let properties = unsafe UnsafeMutableRawPointer(operation).assumingMemoryBound(to: GObject.self)
        var value = GValue()
        unsafe g_value_init(&value, vips_image_get_type())
        unsafe g_value_set_object(&value, pointer)
        unsafe g_object_set_property(properties, "in", &value)
        unsafe g_value_unset(&value)
        for (name, text) in options {
            guard unsafe vips_object_set_argument_from_string(object, name, text) == 0 else {
                throw VipsError.take("set")
            }
        }
        var built: UnsafeMutablePointer<VipsOperation>? = unsafe operation
        guard unsafe vips_cache_operation_buildp(&built) == 0, let built = unsafe built else {
            throw VipsError.take("build")
        }
        unsafe operation = built
        var blob = GValue()
        unsafe g_value_init(&blob, vips_blob_get_type())
        let made = unsafe UnsafeMutableRawPointer(built).assumingMemoryBound(to: GObject.self)
        unsafe g_object_get_property(made, "buffer", &blob)
        defer { unsafe g_value_unset(&blob) }
        var count = 0
        guard let data = unsafe vips_value_get_blob(&blob, &count) else { throw VipsError.take("get") }
        return unsafe Array(UnsafeRawBufferPointer(start: data, count: count))
    }
}

extension [UInt8] {
    /// The first place of some bytes.
    fileprivate func firstIndex(of bytes: [UInt8]) -> Int? {
        indices.first { self[$0...].starts(with: bytes) }
    }
}
