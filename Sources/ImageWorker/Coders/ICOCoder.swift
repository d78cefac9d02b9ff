import CVips
import ImagePlan

/// ICO and CUR: images stored as bitmap or PNG; not encoded.
///
/// The images are pages, the largest first. Own code for the reason stated at `BMPCoder`, with the same condition for its
/// removal: libvips reads icons through ImageMagick only.
struct ICOCoder: HeaderReading {
    let format = ImageFormat.ico
    // For PNG images inside the file.
    let loader: VipsPart? = VipsPart(operation: "pngload_buffer")
    /// One black 32-bit pixel with its mask.
    let sample: [UInt8]? =
        [0, 0, 1, 0, 1, 0, 1, 1, 0, 0, 1, 0, 32, 0, 48, 0, 0, 0, 22, 0, 0, 0]
        + [40, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 1, 0, 32, 0] + [UInt8](repeating: 0, count: 24)
        + [0, 0, 0, 255, 0, 0, 0, 0]

    func facts(of source: SourceMapping) throws(WorkerReply.Failure) -> SourceDecoder.Facts {
        try facts(of: source, page: 0)
    }

    func facts(of source: SourceMapping, page: Int) throws(WorkerReply.Failure) -> SourceDecoder.Facts {
        let pictures = try source.withSpan { (bytes) throws(WorkerReply.Failure) in
            try IconDirectory(bytes).pictures(in: bytes)
        }
        let picture = pictures[min(page, pictures.count - 1)].picture
        return SourceDecoder.Facts(
            format: format,
            size: picture.size,
            frames: 1,
            orientation: 1,
            hasAlpha: picture.hasAlpha,
            pages: pictures.count
        )
    }

    func open(_ source: SourceMapping, _ options: DecodingOptions) throws -> Raster {
        let pictures = try source.withSpan { bytes in try IconDirectory(bytes).pictures(in: bytes) }
        let (entry, picture) = pictures[min(options.page, pictures.count - 1)]
        switch picture {
        case .png:
            return try Raster.make("load") { out in
                let start = unsafe source.bytes.baseAddress.map { unsafe $0 + entry.range.lowerBound }
                return unsafe edge_vips_load_png(start, entry.range.count, &out)
            }
        case .bitmap(let header):
            let pixels = try source.withSpan { bytes in
                try IconPicture.decode(header, bytes.extracting(entry.range))
            }
            return try Raster.sRGB(pixels.rgba, width: header.width, height: header.height, bands: 4)
        }
    }
}
