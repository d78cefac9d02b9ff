import CVips
import ImagePlan

/// HEIC, by libheif with libde265; only read.
struct HEICCoder: Coder {
    let format = ImageFormat.heic
    let loader: VipsPart? = VipsPart(
        className: "VipsForeignLoadHeif",
        operation: "heifload_buffer",
        module: .heif
    )
    // ISO 23008-12 §6.5.10: libheif applies the file's own rotation.
    let standsUpright = true

    func open(_ source: SourceMapping, _ options: DecodingOptions) throws -> Raster {
        try load(source) { bytes, count, out in unsafe edge_vips_load_heif(bytes, count, &out) }
            .withColour(StatedColour(heif: source))
    }
}
