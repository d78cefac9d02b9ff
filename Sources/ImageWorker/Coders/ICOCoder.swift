import CVips
import ImagePlan

/// ICO and CUR: the largest picture, which is a bitmap or a PNG; only read.
struct ICOCoder: HeaderReading {
    let format = ImageFormat.ico
    // PNG's, for the PNG inside.
    let loader: VipsPart? = VipsPart(className: "VipsForeignLoadPng", operation: "pngload_buffer")
    /// One black pixel of 32 bits, with its mask.
    let sample: [UInt8]? =
        [0, 0, 1, 0, 1, 0, 1, 1, 0, 0, 1, 0, 32, 0, 48, 0, 0, 0, 22, 0, 0, 0]
        + [40, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 1, 0, 32, 0] + [UInt8](repeating: 0, count: 24)
        + [0, 0, 0, 255, 0, 0, 0, 0]

    func facts(of source: SourceMapping) throws(WorkerReply.Failure) -> SourceDecoder.Facts {
        let picture = try source.withSpan { (bytes) throws(WorkerReply.Failure) in
            try IconDirectory(bytes).largest(in: bytes).picture
        }
        return SourceDecoder.Facts(
            format: format,
            size: picture.size,
            frames: 1,
            orientation: 1,
            hasAlpha: picture.hasAlpha
        )
    }

    func open(_ source: SourceMapping, _ options: DecodingOptions) throws -> Raster {
        let (entry, picture) = try source.withSpan { bytes in try IconDirectory(bytes).largest(in: bytes) }
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
