import CVips
import ImagePlan
import LinuxSystem

/// The source of one job, decoded once for several outputs.
///
/// It is decoded as small as the most demanding output allows, and reduced from there for the others. If several outputs need that
/// size it is held in memory. If one output alone needs that size and scales all of it, the image is streamed instead: its rows are
/// reduced for all others while that output reads them, since allocating memory for a large image takes as long as decoding it. So is an
/// image that several outputs need in full, if they allow it.
/// Confined to the worker's only job thread.
final class SharedDecode {
    /// The maximum number of bytes of pixels to hold; larger images are decoded once per output, streamed by libvips.
    private static let maximumSize = 64 << 20

    /// The time spent decoding, in microseconds.
    private(set) var microseconds: UInt32 = 0
    /// The factor at which one output reads the image, while the others get what is made of its rows; `nil` for an image in memory.
    private(set) var streamed: Int?
    private let decoder: SourceDecoder
    private let deadline: Deadline
    /// The decoded images by the factor of their reduction.
    private var rasters: [Int: Raster] = [:]
    /// The reduction factors that the outputs allow.
    private var factors: Set<Int>
    /// The reductions of the streamed rows.
    private var halved: HalvedPictures?
    /// The image for the output that reads it first, and what is made of its rows for others that need the full size.
    private var first: Raster?
    private var isRead = false
    private var resized: [PixelSize: ResizedPicture] = [:]

    /// Decodes the source; `nil` for a single output, for outputs that take all frames, and for too large an image.
    ///
    /// - Throws: `VipsError`, or the error of an output that cannot be made.
    init?(of decoder: SourceDecoder, for makers: [OutputMaker], _ deadline: Deadline) throws {
        guard makers.count > 1 else { return nil }
        self.decoder = decoder
        self.deadline = deadline
        var factors: [Int] = []
        // A placeholder uses any size that the others need.
        for maker in makers where !maker.isPlaceholder {
            guard let factor = try maker.loadFactor() else { return nil }
            factors.append(factor)
        }
        self.factors = Set(factors)
        let least = factors.min() ?? 1
        if factors.count > 1, factors.count(where: { $0 == least }) == 1 {
            let first = try makers.first { try !$0.isPlaceholder && $0.loadFactor() == least }
            if least == 1 {
                streamed = 1
                // An output of the image's own size reads no rows for the others.
                if let first, try first.firstResize() == first.facts.size, try hold(1) { streamed = nil }
                return
            }
            if let first, try prepare(first, at: least) { return }
        }
        if least == 1, try prepare(makers.filter { try !$0.isPlaceholder && $0.loadFactor() == 1 }) { return }
        if try hold(least) { return }
        // Too large to hold, but enough for mezzanines if one output reads it.
        let mezzanines = makers.compactMap { Mezzanine(planText: $0.output.plan) }
        guard least == 1, !mezzanines.isEmpty, factors.count == mezzanines.count + 1 else { return nil }
        streamed = 1
        self.factors = Set(mezzanines.map(\.factor))
    }

    /// Returns the image reduced by a factor, or by as much less as the next smaller one that there is; `nil` if it has to be decoded.
    ///
    /// - Parameters:
    ///   - factor: the smallest one.
    ///   - largest: the factor that is wanted.
    func decoded(_ factor: Int, orLess largest: Int) throws -> Raster? {
        if let made = rasters[largest] { return made }
        if let own = streamed, let made = halved?.finished(largest / own) {
            rasters[largest] = made
            return made
        }
        guard streamed == nil || !rasters.isEmpty else { return nil }
        return try raster(factor)
    }

    /// Returns the image reduced by a factor; `nil` if it is not shared at that size.
    ///
    /// - Parameter factor: a power of two that an output allows.
    func raster(_ factor: Int) throws -> Raster? {
        if let raster = rasters[factor] { return raster }
        if let own = streamed, factor == own {
            let opened = try first.take() ?? decoder.open(factor: factor, DecodingOptions(deadline: deadline))
            guard !isRead else {
                opened.prepared = resized
                return opened
            }
            isRead = true
            halved = HalvedPictures(of: opened, factors: Set(factors.map { $0 / own }))
            opened.observers = [halved].compactMap { $0 } + Array(resized.values)
            return opened
        }
        guard factor > 1 else { return nil }
        if let own = streamed {
            if let made = halved?.finished(factor / own) {
                rasters[factor] = made
                return made
            }
            if rasters.isEmpty { _ = try hold(max(2, own)) }
        }
        // From the largest image, since smaller ones are already rounded.
        guard let (own, larger) = rasters.min(by: { $0.key < $1.key }), own < factor else { return nil }
        // All at once, as reading a large image takes the longest.
        let wanted = Set(factors.filter { $0 > own }.map { $0 / own } + [factor / own])
        guard let halved = HalvedPictures(of: larger, factors: wanted) else {
            rasters[factor] = try larger.reduced(by: factor / own)
            return rasters[factor]
        }
        try unsafe larger.eachRow(deadline) { row throws(VipsError) in try unsafe halved.receive(row) }
        for other in wanted { rasters[own * other] = halved.finished(other) }
        return rasters[factor]
    }

    /// Prepares to stream the image, reduced by a factor, to an output that scales all of it; `false` if it cannot be.
    private func prepare(_ output: OutputMaker, at factor: Int) throws -> Bool {
        guard decoder.loadsSmaller, Mezzanine(planText: output.output.plan) == nil, try output.firstResize() != nil
        else {
            return false
        }
        let opened = try decoder.open(factor: factor, DecodingOptions(deadline: deadline))
        guard opened.mayScaleBeforeConversion, opened.format == VIPS_FORMAT_UCHAR, !opened.hasAlpha else {
            return false
        }
        (first, streamed) = (opened, factor)
        return true
    }

    /// Prepares to stream the image to several outputs that need the full size; `false` if it cannot be.
    private func prepare(_ makers: [OutputMaker]) throws -> Bool {
        guard decoder.loadsSmaller, makers.count > 1 else { return false }
        let opened = try decoder.open(factor: 1, DecodingOptions(deadline: deadline))
        guard opened.mayScaleBeforeConversion else { return false }
        let targets = try makers.compactMap { try $0.firstResize() }
        let size = targets.reduce(0) { $0.addingSaturated($1.pixels.multipliedSaturated(by: opened.bands)) }
        guard targets.count == makers.count, size <= Self.maximumSize else { return false }
        var pictures: [PixelSize: ResizedPicture] = [:]
        for target in Set(targets.dropFirst()) {
            guard let picture = try ResizedPicture(of: opened, to: target, loadFactor: 1) else { return false }
            pictures[target] = picture
        }
        (first, resized, streamed) = (opened, pictures, 1)
        return true
    }

    /// Decodes into memory, unless the image is too large.
    private func hold(_ factor: Int) throws -> Bool {
        var clock = StageClock()
        let opened = try decoder.open(factor: factor, DecodingOptions(deadline: deadline))
        guard opened.byteCount <= Self.maximumSize else { return false }
        deadline.watch(opened)
        rasters[factor] = try opened.readInMemory(deadline)
        clock.endDecode()
        microseconds = microseconds.addingReportingOverflow(clock.timing.decode).partialValue
        return true
    }

    /// Returns the smallest decoded image that is reduced by at most a factor.
    func best(atMost factor: Int) -> (raster: Raster, loadFactor: Int)? {
        rasters.filter { $0.key <= factor }.max { $0.key < $1.key }.map { ($0.value, $0.key) }
    }
}

extension Raster {
    /// Computes all pixels into memory, those of 8-bit images on this thread: handing rows from libvips' thread to this one takes a
    /// quarter of the time to decode a JPEG.
    fileprivate func readInMemory(_ deadline: Deadline) throws -> Raster {
        guard format == VIPS_FORMAT_UCHAR, !isInMemory else { return try inMemory() }
        let made = try Raster.make("write_prepare") { out in unsafe edge_vips_memory_like(pointer, &out) }
        var y: CInt = 0
        try unsafe eachRow(deadline) { row throws(VipsError) in
            // libvips only reads the line.
            guard unsafe vips_image_write_line(made.pointer, y, UnsafeMutablePointer(mutating: row)) == 0 else {
                throw VipsError.take("write_line")
            }
            y += 1
        }
        return made
    }

    /// Whether the pixels have been computed.
    private var isInMemory: Bool { unsafe pointer.pointee.data != nil }

    /// The size of all pixels in memory, in bytes.
    fileprivate var byteCount: Int {
        width.multipliedSaturated(by: height).multipliedSaturated(by: bands * Int(vips_format_sizeof(format)))
    }
}
