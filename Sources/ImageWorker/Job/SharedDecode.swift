import CVips
import ImagePlan
import LinuxSystem

/// The source decoded once for several outputs: as small as the one that needs most allows, and from there made smaller once for
/// all that let it be loaded smaller still.
///
/// Held in memory where several need that size. Where one output alone needs the full size, its rows are halved as it reads them: new
/// memory for a large picture takes as long as decoding it.
/// One job's; confined to the worker's only job thread.
final class SharedDecode {
    /// Bytes of pixels; a larger picture is decoded for each output rather than held: libvips streams it otherwise.
    private static let maximumSize = 64 << 20

    /// What the decoding took.
    private(set) var microseconds: UInt32 = 0
    /// Whether one output alone needs the full size, and the others get the halves that are made as it reads.
    let isStreamed: Bool
    private let decoder: SourceDecoder
    private let deadline: Deadline
    /// The picture by how many times it is smaller than the original.
    private var rasters: [Int: Raster] = [:]
    /// By how many times the outputs let it be loaded smaller.
    private let factors: Set<Int>
    /// What comes of the rows that are streamed.
    private var halved: HalvedPictures?

    /// Decodes; `nil` for a single output, where outputs take all frames, and where it would be too large.
    ///
    /// - Throws: `VipsError`, or what keeps an output from being made.
    init?(of decoder: SourceDecoder, for makers: [OutputMaker], _ deadline: Deadline) throws {
        guard makers.count > 1 else { return nil }
        self.decoder = decoder
        self.deadline = deadline
        var factors: [Int] = []
        // A placeholder makes do with what the others have.
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

    /// The picture as it is loaded so many times smaller; `nil` where it is not decoded for that.
    ///
    /// - Parameter factor: a power of two that an output allows.
    func raster(_ factor: Int) throws -> Raster? {
        if let raster = rasters[factor] { return raster }
        if isStreamed, factor == 1 {
            let opened = try decoder.open(factor: factor)
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
        // Of the largest: what has been halved before is rounded already.
        guard let (own, larger) = rasters.min(by: { $0.key < $1.key }), own < factor else { return nil }
        let raster = try larger.reduced(by: factor / own)
        rasters[factor] = raster
        return raster
    }

    /// Decodes into memory, unless that is too much.
    private func hold(_ factor: Int) throws -> Bool {
        var clock = StageClock()
        let opened = try decoder.open(factor: factor)
        guard opened.byteCount <= Self.maximumSize else { return false }
        deadline.watch(opened)
        rasters[factor] = try opened.inMemory()
        clock.endDecode()
        microseconds = microseconds.addingReportingOverflow(clock.timing.decode).partialValue
        return true
    }

    /// The smallest picture at hand that is not smaller than a factor allows.
    func best(atMost factor: Int) -> (raster: Raster, loadFactor: Int)? {
        rasters.filter { $0.key <= factor }.max { $0.key < $1.key }.map { ($0.value, $0.key) }
    }
}

extension Raster {
    /// Bytes of all pixels as they would be held in memory.
    fileprivate var byteCount: Int {
        width.multipliedSaturated(by: height).multipliedSaturated(by: bands * Int(vips_format_sizeof(format)))
    }
}
