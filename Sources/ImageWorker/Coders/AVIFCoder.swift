import CVips
import ImagePlan

/// AVIF: libheif with dav1d or aom to read, aom to write.
struct AVIFCoder: HEIFReading {
    let format = ImageFormat.avif
    let saver: VipsPart? = VipsPart(className: "VipsForeignSaveHeif", operation: "heifsave_buffer", module: .heif)
    let traits: EncoderTraits? = EncoderTraits(
        hasAlpha: true,
        hasAnimation: false,
        isLosslessPossible: true,
        longestSide: 16_384
    )
    let settings: [PlanSetting] = [.lossless, .effort, .chroma, .maximumBytes]

    /// Effort 0 costs 9.6 / 55 ms at 512 / 1920 px, 1 costs 37 / 166, 4 costs 163 / 1574: only the lowest answers a request in time.
    private static let standardEffort = 0

    /// Whether a picture in memory is to keep its colours' full resolution: where there is room, since half of it needs less.
    private func isSharp(_ picture: FinishedPicture) throws -> Bool {
        guard (try? EncoderMemory.check(picture.size, bytesPerPixel: 40, as: format)) != nil else { return false }
        return try ChromaDetail(of: picture.frames[0]).isSharp
    }

    func encode(_ picture: FinishedPicture, _ options: EncodingOptions) throws -> EncodedPicture {
        let isLookedAt =
            options.settings.chroma == .auto && !options.isLossless
            && picture.size.pixels <= ChromaDetail.largestPicture
        let picture = isLookedAt ? try picture.inMemory(options.deadline) : picture
        let keepsColours = isLookedAt ? try isSharp(picture) : options.settings.chroma == .full || options.isLossless
        try EncoderMemory.check(picture.size, bytesPerPixel: keepsColours ? 40 : 25, as: format)
        return try save(picture, options) { raster, bytes, count in
            unsafe edge_vips_save_avif(
                raster.pointer,
                &bytes,
                &count,
                CInt(options.quality),
                options.isLossless ? 1 : 0,
                options.effort(in: 0...9, standard: Self.standardEffort),
                keepsColours ? VIPS_FOREIGN_SUBSAMPLE_OFF : VIPS_FOREIGN_SUBSAMPLE_ON,
                options.strips ? 1 : 0
            )
        }
    }
}
