import CVips
import ImagePlan

/// JPEG XL, decoded and encoded by libjxl.
struct JXLCoder: Coder {
    let format = ImageFormat.jxl
    let loader: VipsPart? = VipsPart(className: "VipsForeignLoadJxl", operation: "jxlload_buffer", module: .jxl)
    let saver: VipsPart? = VipsPart(className: "VipsForeignSaveJxl", operation: "jxlsave_buffer", module: .jxl)
    let traits: EncoderTraits? = EncoderTraits(
        hasAlpha: true,
        hasAnimation: false,
        isLosslessPossible: true,
        longestSide: 65_535
    )
    let settings: [PlanSetting] = [.lossless, .effort, .maximumBytes]

    /// Effort 3 takes 7.5 / 80 ms at 512 / 1920 px; libjxl's default of 7 takes several times as long.
    private static let standardEffort = 3

    func open(_ source: SourceMapping, _ options: DecodingOptions) throws -> Raster {
        try load(source) { bytes, count, out in unsafe edge_vips_load_jxl(bytes, count, &out) }
    }

    func encode(_ picture: FinishedPicture, _ options: EncodingOptions) throws -> EncodedPicture {
        let effort = options.effort(in: 3...9, standard: Self.standardEffort)
        try EncoderMemory.check(picture.size, bytesPerPixel: effort < 7 ? 62 : 110, as: format)
        return try save(picture, options) { raster, bytes, count in
            unsafe edge_vips_save_jxl(
                raster.pointer,
                &bytes,
                &count,
                CInt(options.quality),
                options.isLossless ? 1 : 0,
                effort,
                options.strips ? 1 : 0
            )
        }
    }
}
