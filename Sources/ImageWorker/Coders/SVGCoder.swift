import CVips
import ImagePlan

/// SVG, drawn by librsvg at the size that its width, height or viewBox say; only read.
///
/// Static and closed in itself: scripts do not run, and nothing that the markup names outside of it is read, neither by network
/// nor from a file.
struct SVGCoder: Coder {
    let format = ImageFormat.svg
    let loader: VipsPart? = VipsPart(className: "VipsForeignLoadSvg", operation: "svgload_buffer")
    let sample: [UInt8]? = Array("<svg xmlns='http://www.w3.org/2000/svg' width='1' height='1'/>".utf8)

    let drawsAtAnySize = true

    func open(_ source: SourceMapping, _ options: DecodingOptions) throws -> Raster {
        try Raster.make("load") { out in
            unsafe edge_vips_load_svg(
                source.bytes.baseAddress,
                source.bytes.count,
                &out,
                Double(options.dpi),
                options.scale
            )
        }
    }
}
