import CVips
import ImagePlan

/// BMP: decoded by bounds-checked Swift code; not encoded.
///
/// libvips has no BMP loader: it hands the format to ImageMagick, which no worker may load. When libvips has a loader of its own
/// that is not marked as untrusted, it can replace `Decoding/BMP`.
struct BMPCoder: HeaderReading {
    let format = ImageFormat.bmp
    let loader: VipsPart? = nil
    /// One black 24-bit pixel.
    let sample: [UInt8]? =
        Array("BM".utf8) + [58, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0, 40, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 24, 0]
        + [UInt8](repeating: 0, count: 28)

    /// The size of BITMAPFILEHEADER in bytes.
    private static let fileHeaderSize = 14

    func facts(of source: SourceMapping) throws(WorkerReply.Failure) -> SourceDecoder.Facts {
        let header = try source.withSpan { (bytes) throws(WorkerReply.Failure) in try Self.header(bytes) }
        return SourceDecoder.Facts(
            format: format,
            size: PixelSize(width: header.width, height: header.height),
            frames: 1,
            orientation: 1,
            hasAlpha: header.hasAlpha
        )
    }

    func open(_ source: SourceMapping, _ options: DecodingOptions) throws -> Raster {
        let (pixels, header) = try source.withSpan { bytes in try Self.decode(bytes) }
        return try Raster.sRGB(
            header.hasAlpha ? pixels.rgba : pixels.rgb,
            width: header.width,
            height: header.height,
            bands: header.hasAlpha ? 4 : 3
        )
    }

    /// Decodes a whole file.
    static func decode(_ bytes: Span<UInt8>) throws(WorkerReply.Failure) -> (BitmapPixels, BitmapHeader) {
        let header = try header(bytes)
        let start = try BitmapReader(start: 0).word(bytes, 10)
        // Some writers leave the offset 0; the pixels then follow the header.
        return (try BitmapPixels(header, bytes, at: start == 0 ? header.end : start), header)
    }

    private static func header(_ bytes: Span<UInt8>) throws(WorkerReply.Failure) -> BitmapHeader {
        guard bytes.count > fileHeaderSize, bytes[0] == UInt8(ascii: "B"), bytes[1] == UInt8(ascii: "M") else {
            throw .broken("not a bitmap")
        }
        return try BitmapHeader(bytes, at: fileHeaderSize, isIcon: false)
    }
}
