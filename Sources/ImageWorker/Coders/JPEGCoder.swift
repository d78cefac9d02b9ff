import CVips
import ImagePlan

/// JPEG, decoded and encoded by libjpeg-turbo.
struct JPEGCoder: Coder {
    let format = ImageFormat.jpeg
    let loader: VipsPart? = VipsPart(operation: "jpegload_buffer")
    let saver: VipsPart? = VipsPart(operation: "jpegsave_buffer")
    let traits: EncoderTraits? = EncoderTraits(
        hasAlpha: false,
        hasAnimation: false,
        isLosslessPossible: false,
        longestSide: 65_535  // ITU-T T.81 §B.2.2, and libjpeg's own 65,500 is checked by libjpeg.
    )
    let settings: [PlanSetting] = [.progressive, .effort, .chroma, .maximumBytes]

    /// The maximum number of pixels for which Huffman tables are optimised by default.
    ///
    /// That costs 1 ms and saves 1.4 % at 512 px, but costs 11 ms and saves 0.8 % at 1920 px (Benchmarks/README.md).
    private static let largestOptimised = 600_000

    func open(_ source: SourceMapping, _ options: DecodingOptions) throws -> Raster {
        try Raster.make("load") { out in
            unsafe edge_vips_load_jpeg(source.bytes.baseAddress, source.bytes.count, &out, CInt(options.shrink))
        }
    }

    func encode(_ picture: FinishedPicture, _ options: EncodingOptions) throws -> EncodedPicture {
        var raster = try picture.stacked()
        options.deadline.watch(raster)
        let subsample: VipsForeignSubsample
        switch options.settings.chroma {
        case .half: subsample = VIPS_FOREIGN_SUBSAMPLE_ON
        case .full: subsample = VIPS_FOREIGN_SUBSAMPLE_OFF
        case .auto where raster.width * raster.height <= ChromaDetail.largestPicture:
            raster = try raster.inMemory()
            subsample = try ChromaDetail(of: raster).isSharp ? VIPS_FOREIGN_SUBSAMPLE_OFF : VIPS_FOREIGN_SUBSAMPLE_ON
        case .auto: subsample = VIPS_FOREIGN_SUBSAMPLE_ON
        }
        let isSmall = raster.width * raster.height <= Self.largestOptimised
        let optimises: CInt = options.settings.effort.map { $0 > 0 } ?? isSmall ? 1 : 0
        return try save { bytes, count in
            unsafe edge_vips_save_jpeg(
                raster.pointer,
                &bytes,
                &count,
                CInt(options.quality),
                optimises,
                options.settings.isProgressive ? 1 : 0,
                subsample,
                options.strips ? 1 : 0
            )
        }
    }
}
