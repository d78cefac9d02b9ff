import CVips
import ImagePlan
import LinuxSystem

/// The source of one job, decoded once for several outputs.
///
/// It is decoded as small as the most demanding output allows, and reduced from there for the others. If several outputs need that
/// size it is held in memory. If one output alone needs the full size, its rows are reduced while it reads them, since allocating
/// memory for a large image takes as long as decoding it. Confined to the worker's only job thread.
final class SharedDecode {
    /// The maximum number of bytes of pixels to hold; larger images are decoded once per output, streamed by libvips.
    private static let maximumSize = 64 << 20

    /// The time spent decoding, in microseconds.
    private(set) var microseconds: UInt32 = 0
    /// Whether one output alone needs the full size and the others get reductions that are made while it reads.
    let isStreamed: Bool
    private let decoder: SourceDecoder
    private let deadline: Deadline
    /// The decoded images by the factor of their reduction.
    private var rasters: [Int: Raster] = [:]
    /// The reduction factors that the outputs allow.
    private let factors: Set<Int>
    /// The reductions of the streamed rows.
    private var halved: HalvedPictures?

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
        guard !isAlone else { return }
        guard try hold(least) else { return nil }
    }

    /// Returns the image reduced by a factor; `nil` if it is not shared at that size.
    ///
    /// - Parameter factor: a power of two that an output allows.
    func raster(_ factor: Int) throws -> Raster? {
        if let raster = rasters[factor] { return raster }
        if isStreamed, factor == 1 {
            let opened = try decoder.open(factor: factor, DecodingOptions(deadline: deadline))
            halved = HalvedPictures(of: opened, factors: factors)
            opened.observer = halved
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
        let raster = try larger.reduced(by: factor / own)
        rasters[factor] = raster
        return raster
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
