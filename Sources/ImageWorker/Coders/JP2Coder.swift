import CVips
import ImagePlan

/// JPEG 2000: decoded by OpenJPEG; not encoded.
struct JP2Coder: Coder {
    let format = ImageFormat.jp2
    let loader: VipsPart? = VipsPart(operation: "jp2kload_buffer")

    func open(_ source: SourceMapping, _ options: DecodingOptions) throws -> Raster {
        try load(source) { bytes, count, out in unsafe edge_vips_load_jp2(bytes, count, &out) }
    }
}
