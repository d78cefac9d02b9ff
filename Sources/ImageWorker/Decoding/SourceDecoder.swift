import CVips
import ImagePlan

/// Opens a job's source with the one loader of libvips that its sniffed format has; never lets libvips choose.
///
/// Opening reads headers only: libvips decodes when pixels are asked for.
struct SourceDecoder {
    private let mapping: SourceMapping
    private let format: ImageFormat

    /// What a source says of itself when a decoder has opened it.
    struct Facts {
        var format: ImageFormat
        /// Stored size of one frame.
        var size: PixelSize
        var frames: Int
        /// EXIF orientation, 1–8.
        var orientation: Int
        var hasAlpha: Bool

        /// The size of an upright frame.
        var orientedSize: PixelSize { size.oriented(orientation) }
    }

    /// Decodes `mapping` as `format`.
    ///
    /// - Throws: `WorkerReply.Failure.unsupported` for a format that is not on the allow-list.
    init(_ mapping: SourceMapping, format: ImageFormat) throws(WorkerReply.Failure) {
        guard Self.isAllowed(format) else { throw .unsupported("\(format) is not decoded here") }
        self.mapping = mapping
        self.format = format
    }

    /// The allow-list; libvips' operations of all others are blocked as well (`VipsRuntime`).
    static func isAllowed(_ format: ImageFormat) -> Bool {
        switch format {
        case .jpeg, .png, .gif, .webp, .avif, .heic, .tiff: true
        case .jxl, .jp2, .bmp, .ico, .svg, .pdf: false
        }
    }

    /// Whether libvips loads the format's frames.
    private var isAnimatable: Bool { format == .gif || format == .webp }

    /// Bytes of the source.
    var byteCount: Int { unsafe mapping.bytes.count }

    /// Reads the header.
    func facts() throws(VipsError) -> Facts {
        let raster = try open()
        // libheif turns pictures upright itself, so a tag must not turn them again (ISO 23008-12 §6.5.10).
        let orientation = format == .avif || format == .heic ? 1 : raster.integer(VIPS_META_ORIENTATION) ?? 1
        return Facts(
            format: format,
            size: PixelSize(width: raster.width, height: raster.height),
            frames: isAnimatable ? max(1, raster.integer(VIPS_META_N_PAGES) ?? 1) : 1,
            orientation: (1...8).contains(orientation) ? orientation : 1,
            hasAlpha: raster.hasAlpha
        )
    }

    /// Opens the first frame, or all of them stacked.
    ///
    /// - Parameter shrink: 1, 2, 4 or 8, for a JPEG.
    func open(shrink: Int = 1, allFrames: Bool = false) throws(VipsError) -> Raster {
        let pages: CInt = allFrames && isAnimatable ? -1 : 1
        return try Raster.make("load") { out in
            let start = unsafe mapping.bytes.baseAddress
            let count = unsafe mapping.bytes.count
            switch format {
            case .jpeg: return unsafe edge_vips_load_jpeg(start, count, &out, CInt(shrink))
            case .png: return unsafe edge_vips_load_png(start, count, &out)
            case .gif: return unsafe edge_vips_load_gif(start, count, &out, 0, pages)
            case .webp: return unsafe edge_vips_load_webp(start, count, &out, 0, pages)
            case .avif, .heic:
                VipsModules.loadHEIF()
                return unsafe edge_vips_load_heif(start, count, &out)
            case .tiff: return unsafe edge_vips_load_tiff(start, count, &out, 0)
            case .jxl, .jp2, .bmp, .ico, .svg, .pdf: return -1
            }
        }
    }
}
