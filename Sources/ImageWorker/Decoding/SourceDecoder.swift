import CVips
import ImagePlan

/// Opens a job's source with the one coder that its sniffed format has; never lets libvips choose.
///
/// Opening reads headers only: libvips decodes when pixels are asked for.
struct SourceDecoder {
    private let mapping: SourceMapping
    private let coder: any Coder
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
        /// Pages of a source that has several; frames are none.
        var pages = 1
        /// The size that is decoded, where less of it is shown.
        var stored: PixelSize?

        /// The size of an upright frame.
        var orientedSize: PixelSize { size.oriented(orientation) }
        /// Pixels that are decoded of a frame.
        var decodedPixels: Int { max(size.pixels, stored?.pixels ?? 0) }
    }

    /// Decodes `mapping` as `format`.
    ///
    /// - Throws: `WorkerReply.Failure.unsupported` for a format that no coder decodes here.
    init(_ mapping: SourceMapping, format: ImageFormat, reduction: Reduction? = nil) throws(WorkerReply.Failure) {
        guard let coder = CoderRegistry.coder(for: format), coder.isDecoderThere else {
            throw .unsupported("\(format) is not decoded here")
        }
        try mapping.correct { bytes in coder.corrected(bytes) }
        self.mapping = mapping
        self.coder = coder
        self.reduction = reduction
    }

    /// Bytes of the source's file.
    var byteCount: Int { mapping.fileLength }

    /// The source as it is.
    var original: OriginalFile { OriginalFile(mapping: mapping) }

    /// Reads a page's header; of what has no pixels, drawn at `dpi`; of a reduction it gives what the original was.
    ///
    /// - Throws: `VipsError`, `WorkerReply.Failure`, or `RequestError` (422) for a page that is not there.
    func facts(dpi: Int = PlanSetting.standardDPI, page: Int = 0) throws -> Facts {
        let first = try pageFacts(dpi: dpi, page: 0)
        guard page > 0 else { return first }
        guard page < first.pages else {
            throw RequestError(
                parameter: PlanSetting.page.name,
                reason: "is \(page), and the last page is \(first.pages - 1)",
                status: .unprocessable
            )
        }
        return try pageFacts(dpi: dpi, page: page)
    }

    private func pageFacts(dpi: Int, page: Int) throws -> Facts {
        if let reduction { return try Self.facts(reduction, coder.open(mapping, DecodingOptions())) }
        if let header = coder as? any HeaderReading { return try header.facts(of: mapping, page: page) }
        let raster = try coder.open(mapping, DecodingOptions(page: page, dpi: dpi))
        let orientation = raster.integer(VIPS_META_ORIENTATION) ?? 1
        let pages = max(1, raster.integer(VIPS_META_N_PAGES) ?? 1)
        // What has times has frames, though the first alone may be decoded.
        let isAnimation = coder.decodesAnimation || raster.has(Animation.delayField)
        return Facts(
            format: coder.format,
            size: PixelSize(width: raster.width, height: raster.height),
            frames: isAnimation ? pages : 1,
            orientation: (1...8).contains(orientation) ? orientation : 1,
            hasAlpha: raster.hasAlpha,
            pages: isAnimation ? 1 : pages,
            stored: coder.storedSize(of: mapping)
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
        let all = facts.format == .jpeg && coder.format == .jpeg ? [8, 4, 2] : [reduction.factor]
        return ShrinkOnLoad.factor(
            among: all.filter { $0 >= reduction.factor },
            steps: steps,
            source: facts.orientedSize,
            orientation: facts.orientation
        )
    }

    /// By how much the picture may be loaded smaller for a mezzanine of it.
    func loadFactor(of mezzanine: Mezzanine) -> Int {
        coder.format == .jpeg ? mezzanine.factor : reduction?.factor ?? 1
    }

    /// Opens the picture so many times smaller than the original: 1, or as `loadFactor` allows.
    func open(factor: Int, _ options: DecodingOptions = DecodingOptions()) throws -> Raster {
        let own = reduction?.factor ?? 1
        guard factor.isMultiple(of: own) else {
            throw WorkerReply.Failure.worker("a picture loaded \(factor) times smaller of one \(own) times smaller")
        }
        var options = options
        options.shrink = factor / own
        return try open(options)
    }

    /// Opens one frame of one page, or all frames stacked.
    func open(_ options: DecodingOptions) throws -> Raster {
        var options = options
        options.allFrames = options.allFrames && coder.decodesAnimation
        return try coder.open(mapping, options)
    }

    /// Opens a source as it is.
    func open(allFrames: Bool = false) throws -> Raster { try open(DecodingOptions(allFrames: allFrames)) }

    /// Whether the source has no pixels, and is drawn at the size that is asked.
    var drawsAtAnySize: Bool { coder.drawsAtAnySize }

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
    /// What the header says of one page, zero-based.
    func facts(of source: SourceMapping, page: Int) throws(WorkerReply.Failure) -> SourceDecoder.Facts
}

extension HeaderReading {
    /// A source of one page.
    func facts(of source: SourceMapping, page _: Int) throws(WorkerReply.Failure) -> SourceDecoder.Facts {
        try facts(of: source)
    }
}
