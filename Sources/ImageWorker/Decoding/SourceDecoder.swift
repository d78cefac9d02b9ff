import CVips
import ImagePlan

/// Opens a job's source with the one coder that its sniffed format has; never lets libvips choose.
///
/// Opening reads headers only: libvips decodes when pixels are asked for.
struct SourceDecoder {
    private let mapping: SourceMapping
    private let coder: any Coder

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
    /// - Throws: `WorkerReply.Failure.unsupported` for a format that no coder decodes here.
    init(_ mapping: SourceMapping, format: ImageFormat) throws(WorkerReply.Failure) {
        guard let coder = CoderRegistry.coder(for: format), coder.isDecoderThere else {
            throw .unsupported("\(format) is not decoded here")
        }
        self.mapping = mapping
        self.coder = coder
    }

    /// Reads the header; of what has no pixels, drawn at `dpi`.
    func facts(dpi: Int = PlanSetting.standardDPI) throws -> Facts {
        if let header = coder as? any HeaderReading { return try header.facts(of: mapping) }
        let raster = try coder.open(mapping, DecodingOptions(dpi: dpi))
        let orientation = coder.standsUpright ? 1 : raster.integer(VIPS_META_ORIENTATION) ?? 1
        return Facts(
            format: coder.format,
            size: PixelSize(width: raster.width, height: raster.height),
            frames: coder.decodesAnimation ? max(1, raster.integer(VIPS_META_N_PAGES) ?? 1) : 1,
            orientation: (1...8).contains(orientation) ? orientation : 1,
            hasAlpha: raster.hasAlpha
        )
    }

    /// Opens the first frame, or all of them stacked.
    ///
    /// - Parameter shrink: 1, 2, 4 or 8, for a JPEG.
    func open(
        shrink: Int = 1,
        allFrames: Bool = false,
        dpi: Int = PlanSetting.standardDPI
    ) throws -> Raster {
        try coder.open(
            mapping,
            DecodingOptions(shrink: shrink, allFrames: allFrames && coder.decodesAnimation, dpi: dpi)
        )
    }
}

/// A coder that reads headers by itself, since opening would decode everything at once.
protocol HeaderReading: Coder {
    /// What the header says, within bounds that `open` keeps.
    ///
    /// - Throws: `WorkerReply.Failure`.
    func facts(of source: SourceMapping) throws(WorkerReply.Failure) -> SourceDecoder.Facts
}
