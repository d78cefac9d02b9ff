import CVips
import ImagePlan

/// JPEG: decoded by libjpeg-turbo, or to a quarter or less by `ScaledJPEG`, and encoded by `JPEGEncoder`.
struct JPEGCoder: Coder {
    let format = ImageFormat.jpeg
    let loader: VipsPart? = VipsPart(operation: "jpegload_buffer")
    // For metadata, and pictures that are too large for `JPEGEncoder`.
    let saver: VipsPart? = VipsPart(operation: "jpegsave_buffer")
    let traits: EncoderTraits? = EncoderTraits(
        hasAlpha: false,
        hasAnimation: false,
        isLosslessPossible: false,
        longestSide: JPEGEncoder.longestSide
    )
    let settings: [PlanSetting] = [.progressive, .effort, .chroma, .maximumBytes]

    /// The effort without `effort`.
    private static let standardEffort = 4

    func open(_ source: SourceMapping, _ options: DecodingOptions) throws -> Raster {
        let lazy = try Raster.make("load") { out in
            unsafe edge_vips_load_jpeg(source.bytes.baseAddress, source.bytes.count, &out, CInt(options.shrink))
        }
        return try ScaledJPEG.raster(of: source, options, as: lazy) ?? padded(lazy, of: source, options)
    }

    /// Repeats the last column and row of a reduced image where libvips has left out pixels of which a part is outside the picture.
    private func padded(_ raster: Raster, of source: SourceMapping, _ options: DecodingOptions) throws -> Raster {
        guard options.shrink > 1,
            case .image(let header) = source.withSpan({ ImageSniffer.sniff($0, totalLength: $0.count) })
        else { return raster }
        let size = PixelSize(width: header.width, height: header.height).reduced(by: options.shrink)
        return try raster.withSize(size)
    }

    func encode(_ picture: FinishedPicture, _ options: EncodingOptions) throws -> EncodedPicture {
        var raster = try picture.stacked()
        options.deadline.watch(raster)
        let halvesColours: Bool
        switch options.settings.chroma {
        case .half: halvesColours = true
        case .full: halvesColours = false
        case .auto where raster.width * raster.height <= ChromaDetail.largestPicture:
            raster = try raster.inMemory()
            halvesColours = try !ChromaDetail(of: raster).isSharp
        case .auto: halvesColours = true
        }
        let encoder = JPEGEncoder(
            quality: options.quality,
            halvesColours: halvesColours,
            isProgressive: options.settings.isProgressive,
            effort: JPEGEncoder.Effort(Int(options.effort(in: 0...9, standard: Self.standardEffort))),
            deadline: options.deadline
        )
        let size = PixelSize(width: raster.width, height: raster.height)
        let pixelBytes = encoder.bytesPerPixel + raster.bands
        guard [1, 3].contains(raster.bands), raster.format == VIPS_FORMAT_UCHAR,
            (try? EncoderMemory.check(size, bytesPerPixel: pixelBytes, as: format)) != nil
        else { return try encodeInRows(raster, options, halvesColours: halvesColours) }
        raster = try raster.inMemory()
        let header = try JPEGHeader.segments(of: raster, strips: options.strips)
        let bands = raster.bands
        let file = try raster.withBytes { bytes in
            try unsafe bytes.withUnsafeBytes { pixels in
                try unsafe encoder.encode(pixels, size: size, bands: bands, header: header)
            }
        }
        return EncodedPicture(file)
    }

    /// Encodes by libvips, which computes and holds few rows at a time.
    private func encodeInRows(
        _ raster: Raster,
        _ options: EncodingOptions,
        halvesColours: Bool
    ) throws(VipsError) -> EncodedPicture {
        try save { bytes, count in
            unsafe edge_vips_save_jpeg(
                raster.pointer,
                &bytes,
                &count,
                CInt(options.quality),
                // Optimised Huffman tables need all coefficients in memory.
                0,
                options.settings.isProgressive ? 1 : 0,
                halvesColours ? VIPS_FOREIGN_SUBSAMPLE_ON : VIPS_FOREIGN_SUBSAMPLE_OFF,
                options.strips ? 1 : 0
            )
        }
    }
}
