import CVips
import ImagePlan

/// Encodes a finished picture, and with it computes all pixels that nobody has asked for before.
struct Encoder {
    /// How to encode.
    struct Settings {
        var format: ImageFormat
        /// 1–100; PNG and GIF have none.
        var quality: Int
        /// Whether metadata that is still there is dropped by the saver.
        var strips: Bool
    }

    /// CPU against size at 512 / 1920 px (architecture.md): WebP effort 2 costs 5.7 / 66 ms, 4 costs 13 / 167 ms for about 3 % less.
    private static let webpEffort: CInt = 2
    /// AVIF effort 0 costs 9.6 / 55 ms, 1 costs 37 / 166, 4 costs 163 / 1574: only the lowest answers a request in time.
    private static let avifEffort: CInt = 0
    /// zlib level 6 with libvips' default filter: higher levels cost twice for 1–2 %.
    private static let pngCompression: CInt = 6
    /// GIF quantisation effort 1–10: 7 is libvips' default and three times slower than 3, whose palettes look alike.
    private static let gifEffort: CInt = 3

    let settings: Settings

    /// The longest side that the format holds, or that its encoder takes.
    static func longestSide(of format: ImageFormat) -> Int {
        switch format {
        case .webp: FormatNegotiation.longestWebPSide
        case .avif: 16_384
        default: 65_535
        }
    }

    /// Encodes a picture, stacked frames included.
    func encode(_ raster: Raster) throws(VipsError) -> EncodedPicture {
        var bytes: UnsafeMutableRawPointer?
        var count = 0
        let quality = CInt(settings.quality)
        let strips: CInt = settings.strips ? 1 : 0
        let failed: CInt
        switch settings.format {
        case .jpeg: unsafe failed = edge_vips_save_jpeg(raster.pointer, &bytes, &count, quality, 0, strips)
        case .webp:
            unsafe failed = edge_vips_save_webp(raster.pointer, &bytes, &count, quality, 0, Self.webpEffort, strips)
        case .avif:
            VipsModules.loadHEIF()
            unsafe failed = edge_vips_save_avif(raster.pointer, &bytes, &count, quality, 0, Self.avifEffort, strips)
        case .gif: unsafe failed = edge_vips_save_gif(raster.pointer, &bytes, &count, Self.gifEffort, strips)
        default: unsafe failed = edge_vips_save_png(raster.pointer, &bytes, &count, Self.pngCompression, strips)
        }
        guard failed == 0, let bytes = unsafe bytes, count > 0 else { throw VipsError.take("save") }
        return unsafe EncodedPicture(owning: UnsafeRawBufferPointer(start: bytes, count: count))
    }
}

/// The bytes of an encoded picture, in memory that libvips allocated or that is our own.
@safe
final class EncodedPicture {
    /// Of GLib's allocator; empty where the bytes are our own.
    private let library: UnsafeRawBufferPointer
    private let own: [UInt8]

    /// Takes over memory of GLib's allocator.
    init(owning bytes: UnsafeRawBufferPointer) {
        unsafe library = bytes
        own = []
    }

    /// Keeps bytes.
    init(_ bytes: [UInt8]) {
        unsafe library = UnsafeRawBufferPointer(start: nil, count: 0)
        own = bytes
    }

    deinit {
        unsafe g_free(UnsafeMutableRawPointer(mutating: library.baseAddress))
    }

    var count: Int { unsafe library.count + own.count }

    /// Gives the bytes to `body`, for as long as it runs.
    @safe
    func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { withExtendedLifetime(self) {} }
        guard own.isEmpty else {
            return try unsafe own.withUnsafeBufferPointer { bytes throws(Failure) in
                try unsafe body(UnsafeRawBufferPointer(bytes))
            }
        }
        return try unsafe body(library)
    }

    /// A copy of the bytes.
    var copy: [UInt8] { withBytes { bytes in unsafe Array(bytes) } }
}
