import CVips
import ImagePlan

/// TIFF, decoded by libtiff one page at a time and encoded losslessly with deflate.
struct TIFFCoder: Coder {
    let format = ImageFormat.tiff
    let loader: VipsPart? = VipsPart(operation: "tiffload_buffer")
    let saver: VipsPart? = VipsPart(operation: "tiffsave_buffer")
    let traits: EncoderTraits? = EncoderTraits(
        hasAlpha: true,
        hasAnimation: false,
        isLosslessPossible: true,
        longestSide: 1_000_000
    )
    let hasPages = true

    func open(_ source: SourceMapping, _ options: DecodingOptions) throws -> Raster {
        try Raster.make("load") { out in
            unsafe edge_vips_load_tiff(source.bytes.baseAddress, source.bytes.count, &out, CInt(options.page))
        }
        .unpackedCIELAB()
    }

    func encode(_ picture: FinishedPicture, _ options: EncodingOptions) throws -> EncodedPicture {
        try save(picture, options) { raster, bytes, count in
            unsafe edge_vips_save_tiff(raster.pointer, &bytes, &count, options.strips ? 1 : 0)
        }
    }
}
