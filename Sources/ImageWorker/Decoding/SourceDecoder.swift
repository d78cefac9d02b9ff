import CVips
import ImagePlan

/// Opens a job's source with the one loader of libvips that its sniffed format has; never lets libvips choose.
///
/// Opening reads headers only: libvips decodes when pixels are asked for.
struct SourceDecoder {
    private let mapping: SourceMapping
    private let format: ImageFormat
    /// What the source is a reduction of.
    private let reduction: Reduction?

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
    init(_ mapping: SourceMapping, format: ImageFormat, reduction: Reduction? = nil) throws(WorkerReply.Failure) {
        guard Self.isAllowed(format) else { throw .unsupported("\(format) is not decoded here") }
        self.mapping = mapping
        self.format = format
        self.reduction = reduction
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

    /// Reads the header; of a reduction it gives what the original was.
    func facts() throws -> Facts {
        let raster = try load(shrink: 1, allFrames: false)
        if let reduction { return try Self.facts(reduction, raster) }
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

    private static func facts(_ reduction: Reduction, _ raster: Raster) throws(WorkerReply.Failure) -> Facts {
        guard PixelSize(width: raster.width, height: raster.height) == reduction.size else {
            throw .broken("a reduction of \(raster.width)×\(raster.height) pixels in place of \(reduction.size)")
        }
        let original = reduction.original
        return Facts(
            format: original.format,
            size: PixelSize(width: original.width, height: original.height),
            frames: 1,
            orientation: original.orientation,
            hasAlpha: raster.hasAlpha
        )
    }

    /// By how much the picture may be loaded smaller for a plan; a reduction is so much smaller already.
    func loadFactor(_ steps: [ResolvedStep], _ facts: Facts) -> Int {
        guard let reduction else {
            return ShrinkOnLoad.factor(
                for: facts.format,
                steps: steps,
                source: facts.orientedSize,
                orientation: facts.orientation
            )
        }
        // As the original is loaded, and no smaller: else results would differ from the original's by more than its compression.
        let all = facts.format == .jpeg && format == .jpeg ? [8, 4, 2] : [reduction.factor]
        return ShrinkOnLoad.factor(
            among: all.filter { $0 >= reduction.factor },
            steps: steps,
            source: facts.orientedSize,
            orientation: facts.orientation
        )
    }

    /// By how much the picture may be loaded smaller for a mezzanine of it.
    func loadFactor(of mezzanine: Mezzanine) -> Int {
        format == .jpeg ? mezzanine.factor : reduction?.factor ?? 1
    }

    /// Opens the first frame, or all of them stacked.
    ///
    /// - Parameter factor: how many times smaller than the original: 1, or as `loadFactor` allows.
    func open(factor: Int = 1, allFrames: Bool = false) throws -> Raster {
        let own = reduction?.factor ?? 1
        guard factor.isMultiple(of: own) else {
            throw WorkerReply.Failure.worker("a picture loaded \(factor) times smaller of one \(own) times smaller")
        }
        return try load(shrink: factor / own, allFrames: allFrames)
    }

    private func load(shrink: Int, allFrames: Bool) throws(VipsError) -> Raster {
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
