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
    func open(_ options: DecodingOptions) throws -> Raster {
        var options = options
        options.allFrames = options.allFrames && coder.decodesAnimation
        return try coder.open(mapping, options)
    }

    /// Opens a source as it is.
    func open(allFrames: Bool = false) throws -> Raster { try open(DecodingOptions(allFrames: allFrames)) }

    /// The scale at which a source without pixels is drawn so that the plan's first step, a resize, has the least to do; 1 for all
    /// others.
    func scale(for steps: [ResolvedStep], of size: PixelSize, maximumPixels: Int) -> Double {
        guard coder.drawsAtAnySize, let resize = steps.first?.step as? ResizeStep else { return 1 }
        let scaled = resize.geometry(for: size).scaled
        let wanted = max(Double(scaled.width) / Double(size.width), Double(scaled.height) / Double(size.height))
        // Stretched to a strip, one side asks for much more than the other.
        let room = min(
            (Double(maximumPixels) / Double(size.pixels)).squareRoot(),
            Double(Self.longestDrawnSide) / Double(max(size.width, size.height))
        )
        return min(wanted, room)
    }

    /// The longest side that cairo draws.
    private static let longestDrawnSide = 32_767
}

/// A coder that reads headers by itself, since opening would decode everything at once.
protocol HeaderReading: Coder {
    /// What the header says, within bounds that `open` keeps.
    ///
    /// - Throws: `WorkerReply.Failure`.
    func facts(of source: SourceMapping) throws(WorkerReply.Failure) -> SourceDecoder.Facts
}
