import CVips
import ImagePlan

/// SVG: drawn by librsvg at the size given by width, height or viewBox; not encoded.
///
/// Scripts do not run, and external references are resolved neither over the network nor from files.
struct SVGCoder: Coder {
    let format = ImageFormat.svg
    let loader: VipsPart? = VipsPart(operation: "svgload_buffer")
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

/// PDF: one page, drawn on white by poppler or pdfium at the requested size; not encoded.
///
/// Disabled by default (`formats.pdf`): the daemon then sends no PDF.
struct PDFCoder: Coder {
    let format = ImageFormat.pdf
    let loader: VipsPart? = VipsPart(operation: "pdfload_buffer", module: .poppler)
    /// One empty page of 1 × 1 point; readers rebuild the missing cross-reference table.
    let sample: [UInt8]? = Array(
        """
        %PDF-1.4
        1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
        2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
        3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 1 1]>>endobj
        trailer<</Root 1 0 R>>
        %%EOF
        """.utf8
    )

    let hasPages = true
    let drawsAtAnySize = true

    func open(_ source: SourceMapping, _ options: DecodingOptions) throws -> Raster {
        let page = try load(source) { bytes, count, out in
            unsafe edge_vips_load_pdf(
                bytes,
                count,
                &out,
                CInt(clamping: options.page),
                Double(options.dpi),
                options.scale
            )
        }
        // The page is drawn on white, so alpha carries no information.
        return page.hasAlpha ? try page.bands(from: 0, count: page.bands - 1) : page
    }
}
