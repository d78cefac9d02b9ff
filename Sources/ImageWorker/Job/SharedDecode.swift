import CVips
import ImagePlan
import LinuxSystem

/// The source decoded once for several outputs: as small as the one that needs most allows, held in memory, and from there made
/// smaller once for all that let it be loaded smaller still.
///
/// One job's; confined to the worker's only job thread.
final class SharedDecode {
    /// Bytes of pixels; a larger picture is decoded for each output rather than held: libvips streams it otherwise.
    private static let maximumSize = 64 << 20

    /// What the decoding took.
    let microseconds: UInt32
    /// The picture by how many times it is smaller than the original.
    private var rasters: [Int: Raster] = [:]

    /// Decodes; `nil` for a single output, which streams, where outputs take all frames, and where it would be too large.
    ///
    /// What needs the full size and what does not are decoded apart: a JPEG is decoded smaller in less time than it is made smaller.
    /// Where only one output needs the full size, and others do with less, it streams: new memory for a large picture takes as long as
    /// decoding it.
    /// - Throws: `VipsError`, or what keeps an output from being made.
    init?(of decoder: SourceDecoder, for makers: [OutputMaker], _ deadline: Deadline) throws {
        guard makers.count > 1 else { return nil }
        var clock = StageClock()
        var factors: [Int] = []
        // A placeholder makes do with what the others have.
        for maker in makers where !maker.isPlaceholder {
            guard let factor = try maker.loadFactor() else { return nil }
            factors.append(factor)
        }
        let least = factors.min() ?? 1
        let smaller = factors.filter { $0 > 1 }.min() ?? least
        let isLeastShared = smaller == least || factors.count(where: { $0 == least }) > 1
        for factor in Set(isLeastShared ? [least, smaller] : [smaller]) {
            let opened = try decoder.open(factor: factor)
            guard opened.byteCount <= Self.maximumSize else { return nil }
            deadline.watch(opened)
            rasters[factor] = try opened.inMemory()
        }
        clock.endDecode()
        microseconds = clock.timing.decode
    }

    /// The picture as it is loaded so many times smaller; `nil` where it is not decoded for that.
    ///
    /// - Parameter factor: a power of two that an output allows.
    func raster(_ factor: Int) throws -> Raster? {
        if let raster = rasters[factor] { return raster }
        guard factor > 1, let larger = try raster(factor / 2) else { return nil }
        let raster = try larger.halved()
        rasters[factor] = raster
        return raster
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
