import CVips
import ImagePlan
import LinuxSystem

/// The source of one job, decoded once for several outputs.
///
/// It is decoded as small as the most demanding output allows, and reduced from there for the others. If several outputs need that
/// size it is held in memory. An image that is needed in full is streamed instead, if the outputs allow it: its rows are scaled and
/// reduced for all others while the first output reads them, since allocating memory for a large image takes as long as decoding it.
/// Confined to the worker's only job thread.
final class SharedDecode {
    /// The maximum number of bytes of pixels to hold; larger images are decoded once per output, streamed by libvips.
    private static let maximumSize = 64 << 20

    /// The time spent decoding, in microseconds.
    private(set) var microseconds: UInt32 = 0
    /// Whether one output reads the full size, and the others get what is made of its rows meanwhile.
    private(set) var isStreamed: Bool
    private let decoder: SourceDecoder
    private let deadline: Deadline
    /// The decoded images by the factor of their reduction.
    private var rasters: [Int: Raster] = [:]
    /// The reduction factors that the outputs allow.
    private var factors: Set<Int>
    /// The reductions of the streamed rows.
    private var halved: HalvedPictures?
    /// The full image for the output that reads it first, and what is made of its rows for others that need the full size.
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
        let isAlone = least == 1 && factors.count > 1 && factors.count(where: { $0 == least }) == 1
        isStreamed = isAlone
        if isAlone {
            // An output of the image's own size reads no rows for the others.
            let first = try makers.first { try !$0.isPlaceholder && $0.loadFactor() == 1 }
            if let first, try first.firstResize() == first.facts.size, try hold(1) { isStreamed = false }
            return
        }
        if least == 1, try prepare(makers.filter { try !$0.isPlaceholder && $0.loadFactor() == 1 }) { return }
        if try hold(least) { return }
        // Too large to hold, but enough for mezzanines if one output reads it.
        let mezzanines = makers.compactMap { Mezzanine(planText: $0.output.plan) }
        guard least == 1, !mezzanines.isEmpty, factors.count == mezzanines.count + 1 else { return nil }
        isStreamed = true
        self.factors = Set(mezzanines.map(\.factor))
    }

    /// Returns the image reduced by a factor, or by as much less as the next smaller one that there is; `nil` if it has to be decoded.
    ///
    /// - Parameters:
    ///   - factor: the smallest one.
    ///   - largest: the factor that is wanted.
    func decoded(_ factor: Int, orLess largest: Int) throws -> Raster? {
        if let made = rasters[largest] ?? halved?.finished(largest) { return made }
        guard !isStreamed || !rasters.isEmpty else { return nil }
        return try raster(factor)
    }

    /// Returns the image reduced by a factor; `nil` if it is not shared at that size.
    ///
    /// - Parameter factor: a power of two that an output allows.
    func raster(_ factor: Int) throws -> Raster? {
        if let raster = rasters[factor] { return raster }
        if isStreamed, factor == 1 {
            let opened = try first.take() ?? decoder.open(factor: factor, DecodingOptions(deadline: deadline))
            guard !isRead else {
                opened.prepared = resized
                return opened
            }
            isRead = true
            halved = HalvedPictures(of: opened, factors: factors)
            opened.observers = [halved].compactMap { $0 } + Array(resized.values)
            return opened
        }
        guard factor > 1 else { return nil }
        if let made = halved?.finished(factor) {
            rasters[factor] = made
            return made
        }
        if isStreamed, rasters.isEmpty { _ = try hold(2) }
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
        (first, resized, isStreamed) = (opened, pictures, true)
        return true
    }

    /// Decodes into memory, unless the image is too large.
    private func hold(_ factor: Int) throws -> Bool {
        var clock = StageClock()
        let opened = try decoder.open(factor: factor, DecodingOptions(deadline: deadline))
        guard opened.byteCount <= Self.maximumSize else { return false }
        deadline.watch(opened)
        rasters[factor] = try opened.inMemory()
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
    /// The size of all pixels in memory, in bytes.
    fileprivate var byteCount: Int {
        width.multipliedSaturated(by: height).multipliedSaturated(by: bands * Int(vips_format_sizeof(format)))
    }
}
