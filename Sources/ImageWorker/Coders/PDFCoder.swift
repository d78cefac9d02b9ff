import CVips
import ImagePlan

/// PDF: one page, drawn by poppler (or pdfium, as libvips is built) on white, at the size that is asked; only read.
///
/// Off unless the configuration says otherwise (`formats.pdf`): the daemon sends no such job before.
struct PDFCoder: Coder {
    let format = ImageFormat.pdf
    let loader: VipsPart? = VipsPart(
        className: "VipsForeignLoadPdf",
        operation: "pdfload_buffer",
        module: .poppler
    )
    /// One empty page of a point; readers find the objects without their table.
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
        // Paper: white lies under all of it, so that alpha says nothing.
        return page.hasAlpha ? try page.bands(from: 0, count: page.bands - 1) : page
    }
}
