import CJXL
import CVips
import ImagePlan

/// Opens a job's source with the coder of its sniffed format; libvips never chooses a loader.
///
/// Opening reads headers only; libvips decodes pixels on demand.
struct SourceDecoder {
    private let mapping: SourceMapping
    private let coder: any Coder
    /// The original, if the source is a reduction.
    private let reduction: Reduction?

    /// What a decoder reports about a source.
    struct Facts {
        var format: ImageFormat
        /// The stored size of one frame.
        var size: PixelSize
        var frames: Int
        /// The EXIF orientation, 1–8.
        var orientation: Int
        var hasAlpha: Bool
        /// The number of pages; frames are not pages.
        var pages = 1
        /// The decoded size, if less of it is visible.
        var stored: PixelSize?

        /// The size of an upright frame.
        var orientedSize: PixelSize { size.oriented(orientation) }
        /// The number of decoded pixels per frame.
        var decodedPixels: Int { max(size.pixels, stored?.pixels ?? 0) }
    }

    /// Creates a decoder of a source in a format.
    ///
    /// - Throws: `WorkerReply.Failure.unsupported` for a format without a decoder.
    init(_ mapping: SourceMapping, format: ImageFormat, reduction: Reduction? = nil) throws(WorkerReply.Failure) {
        guard let coder = CoderRegistry.coder(for: format), coder.isDecoderThere else {
            throw .unsupported("decoding \(format) is not supported")
        }
        try mapping.correct { bytes in coder.corrected(bytes) }
        self.mapping = mapping
        self.coder = coder
        self.reduction = reduction
    }

    /// The length of the source's file in bytes.
    var byteCount: Int { mapping.fileLength }

    /// Whether the source is the original, and no reduction of it.
    var isWhole: Bool { reduction == nil }

    /// The source's own bytes.
    var original: OriginalFile { OriginalFile(mapping: mapping) }

    /// Reads a page's header: of a vector image at `dpi`, and of a reduction the original's facts.
    ///
    /// - Throws: `VipsError`, `WorkerReply.Failure`, or `RequestError` (422) for a page that does not exist.
    func facts(dpi: Int = PlanSetting.standardDPI, page: Int = 0) throws -> Facts {
        let first = try pageFacts(dpi: dpi, page: 0)
        guard page > 0 else { return first }
        guard page < first.pages else {
            throw RequestError(
                parameter: PlanSetting.page.name,
                reason: "is \(page), but the last page is \(first.pages - 1)",
                status: .unprocessable
            )
        }
        return try pageFacts(dpi: dpi, page: page)
    }

    private func pageFacts(dpi: Int, page: Int) throws -> Facts {
        if let reduction { return try facts(of: reduction) }
        if let header = coder as? any HeaderReading { return try header.facts(of: mapping, page: page) }
        if let facts = try coder.frameFacts(of: mapping) { return facts }
        let raster = try coder.open(mapping, DecodingOptions(page: page, dpi: dpi))
        let orientation = raster.integer(VIPS_META_ORIENTATION) ?? 1
        let count = max(1, raster.integer(VIPS_META_N_PAGES) ?? 1)
        // A source with delays has frames, even if only the first can be decoded.
        let isAnimation = coder.decodesAnimation || raster.has(Animation.delayField)
        return Facts(
            format: coder.format,
            size: PixelSize(width: raster.width, height: raster.height),
            frames: isAnimation ? count : 1,
            orientation: (1...8).contains(orientation) ? orientation : 1,
            hasAlpha: raster.hasAlpha,
            pages: coder.hasPages ? count : 1,
            stored: coder.storedSize(of: mapping)
        )
    }

    private func facts(of reduction: Reduction) throws -> Facts {
        let (size, hasAlpha): (PixelSize, Bool)
        if let header = coder as? any HeaderReading {
            let facts = try header.facts(of: mapping)
            (size, hasAlpha) = (facts.size, facts.hasAlpha)
        } else {
            let raster = try coder.open(mapping, DecodingOptions())
            (size, hasAlpha) = (PixelSize(width: raster.width, height: raster.height), raster.hasAlpha)
        }
        guard size == reduction.size else {
            throw WorkerReply.Failure.broken("the reduction has \(size) pixels instead of \(reduction.size)")
        }
        let original = reduction.original
        return Facts(
            format: original.format,
            size: PixelSize(width: original.width, height: original.height),
            frames: 1,
            orientation: original.orientation,
            hasAlpha: hasAlpha
        )
    }

    /// Returns the factor by which the image may be loaded smaller for a plan, including that of a reduction.
    ///
    /// - Parameter bytes: the maximum bytes of decoded pixels (`DecodeBudget`).
    func loadFactor(_ steps: [ResolvedStep], _ facts: Facts, within bytes: Int = .max) -> Int {
        guard let reduction else {
            return ShrinkOnLoad.factor(
                for: facts.format,
                steps: steps,
                source: facts.orientedSize,
                orientation: facts.orientation,
                within: bytes
            )
        }
        // As small as the original would be loaded, so that results differ only by the reduction.
        let all = facts.format == .jpeg && coder.format == .planes ? [8, 4, 2] : [reduction.factor]
        return ShrinkOnLoad.factor(
            among: all.filter { $0 >= reduction.factor },
            steps: steps,
            source: facts.orientedSize,
            orientation: facts.orientation
        )
    }

    /// Whether the image is decoded as small as it is loaded, so that it is not decoded in full for small results.
    var loadsSmaller: Bool { coder.format == .jpeg }

    /// Returns the factor by which the image may be loaded smaller for a mezzanine.
    func loadFactor(of mezzanine: Mezzanine) -> Int {
        loadsSmaller ? mezzanine.factor : reduction?.factor ?? 1
    }

    /// Opens the image smaller than the original by a factor: 1, or one that `loadFactor` returns.
    func open(factor: Int, _ options: DecodingOptions = DecodingOptions()) throws -> Raster {
        let own = reduction?.factor ?? 1
        guard factor.isMultiple(of: own) else {
            throw WorkerReply.Failure.worker("cannot load a reduction by \(own) at a factor of \(factor)")
        }
        var options = options
        options.shrink = factor / own
        return try open(options)
    }

    /// The colours that the file declares as code points; `nil` if there are none.
    var statedColour: StatedColour? {
        guard reduction == nil else { return nil }
        return switch coder.format {
        case .avif, .heic: StatedColour(heif: mapping)
        case .png: mapping.withSpan { bytes in PNGColour(bytes) }.stated
        case .jxl: JXLFrames.statedColour(of: mapping)
        default: nil
        }
    }

    /// Whether the file has code points in place of a profile; libjxl then makes a profile.
    var statesNumbersAlone: Bool { coder.format == .jxl && statedColour != nil }

    /// Bits per channel in the file.
    func depth(of raster: Raster) -> Int {
        if let bits = raster.integer("heif-bitdepth") { return bits }
        let ofBand = 8 * Int(vips_format_sizeof(raster.format))
        guard reduction == nil else { return ofBand }
        switch coder.format {
        case .png: return mapping.withSpan { bytes in bytes.count > 25 && bytes[25] != 3 ? Int(bytes[24]) : 8 }
        // The coder makes floats of 8-bit CIELAB.
        case .tiff: return raster.interpretation == VIPS_INTERPRETATION_LAB ? 8 : ofBand
        case .jxl: return (try? JXLFrames.info(of: mapping)).map { Int($0.bits_per_sample) } ?? ofBand
        default: return ofBand
        }
    }

    /// Whether a JPEG, AVIF or HEIC says that it has a gain map (ISO 21496-1, Adobe's or Apple's), by the names of its metadata.
    var mentionsGainMap: Bool {
        guard reduction == nil, [.jpeg, .avif, .heic].contains(coder.format) else { return false }
        let names = ["urn:iso:std:iso:ts:21496:-1", "hdr-gain-map/1.0", "hdrgainmap", "HDRGainMap"]
        let head = unsafe Array(mapping.bytes.prefix(Self.announcement))
        return names.contains { name in head.contains(Array(name.utf8)) }
    }

    /// The bytes at the start of a file that are searched for a gain map's metadata.
    private static let announcement = 256 << 10

    /// The gain map after a JPEG; `nil` if it has none, and for a reduction, whatever the original has.
    var gainMap: GainMapSearch.Finding? {
        guard reduction == nil, coder.format == .jpeg else { return nil }
        return unsafe GainMapSearch.find(length: mapping.bytes.count) { range in unsafe Array(mapping.bytes[range]) }
    }

    /// Returns the bytes of an image within the file as a file of its own.
    func extracted(_ range: Range<Int>) throws(WorkerReply.Failure) -> SourceMapping {
        try unsafe SourceMapping(copying: UnsafeRawBufferPointer(rebasing: mapping.bytes[range]))
    }

    /// Opens one frame of one page, or all frames stacked.
    func open(_ options: DecodingOptions) throws -> Raster {
        var options = options
        options.allFrames = options.allFrames && coder.decodesAnimation
        return try coder.open(mapping, options)
    }

    /// Opens the source at its own size.
    func open(allFrames: Bool = false) throws -> Raster { try open(DecodingOptions(allFrames: allFrames)) }

    /// Whether the source is a vector image, drawn at any size.
    var drawsAtAnySize: Bool { coder.drawsAtAnySize }

    /// Returns the scale at which a vector image is drawn so that the plan's resize has least to do; 1 for others.
    ///
    /// Before a crop, it is an `enlargement` by a whole number, so that the rectangle's edges fall on whole pixels; 1 for none.
    func drawing(
        for steps: [ResolvedStep],
        of size: PixelSize,
        maximumPixels: Int
    ) -> (scale: Double, enlargement: Int) {
        guard coder.drawsAtAnySize, let index = steps.firstIndex(where: { $0.step is ResizeStep }),
            let resize = steps[index].step as? ResizeStep
        else { return (1, 1) }
        let input = steps[index].input.size
        let scaled = resize.geometry(for: input).scaled
        let wanted = max(Double(scaled.width) / Double(input.width), Double(scaled.height) / Double(input.height))
        // Limits the scale, since a stretched strip needs much more on one side than on the other.
        let room = min(
            (Double(maximumPixels) / Double(size.pixels)).squareRoot(),
            Double(Self.longestDrawnSide) / Double(max(size.width, size.height))
        )
        guard index > 0 else { return (min(wanted, room), 1) }
        let whole = Self.scales(steps[..<index]) ? max(1, Int(min(wanted.rounded(.up), room.rounded(.down)))) : 1
        return (Double(whole), whole)
    }

    /// Whether steps do the same to a vector image that is drawn larger.
    private static func scales(_ steps: ArraySlice<ResolvedStep>) -> Bool {
        steps.allSatisfy { resolved in
            switch resolved.step.loadRequirement(on: resolved.input) {
            case .anyScale, .rectangle: true
            case .smooth, .fullSize: false
            }
        }
    }

    /// Returns the plan as it is applied: the resize of a vector image may enlarge without `enlarge`, since the image is drawn larger.
    ///
    /// Not after steps that need the image at its own size, which would be enlarged from few pixels.
    ///
    /// - Throws: as `PlanGeometry.resolve`.
    func effective(_ plan: Plan, of size: PixelSize, maximumPixels: Int) throws(RequestError) -> Plan {
        let before = Array(plan.steps.prefix { !($0 is ResizeStep) })
        guard coder.drawsAtAnySize, before.count < plan.steps.count else { return plan }
        let start = Plan(steps: before, settings: plan.settings)
        let steps = try PlanGeometry.resolve(start, source: size, maximumPixels: maximumPixels)
        return Self.scales(steps[...]) ? plan.growing : plan
    }

    /// The longest side that cairo can draw.
    private static let longestDrawnSide = 32_767
}

/// A coder that parses headers itself, since opening decodes everything.
protocol HeaderReading: Coder {
    /// Reads the header, within the bounds that `open` enforces.
    ///
    /// - Throws: `WorkerReply.Failure`.
    func facts(of source: SourceMapping) throws(WorkerReply.Failure) -> SourceDecoder.Facts
    /// Reads the header of one zero-based page.
    func facts(of source: SourceMapping, page: Int) throws(WorkerReply.Failure) -> SourceDecoder.Facts
}

extension HeaderReading {
    /// A source of one page.
    func facts(of source: SourceMapping, page _: Int) throws(WorkerReply.Failure) -> SourceDecoder.Facts {
        try facts(of: source)
    }
}
