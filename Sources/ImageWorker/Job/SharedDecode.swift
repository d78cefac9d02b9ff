import ImagePlan
import LinuxSystem

/// The source decoded once for several outputs: as small as the one that needs most allows, held in memory, and from there made
/// smaller once for all that let it be loaded smaller still.
///
/// One job's; confined to the worker's only job thread.
final class SharedDecode {
    /// What the decoding took.
    let microseconds: UInt32
    /// The picture by how many times it is smaller than the original.
    private var rasters: [Int: Raster] = [:]

    /// Decodes; `nil` for a single output, which streams, and where outputs take all frames.
    ///
    /// What needs the full size and what does not are decoded apart: a JPEG is decoded smaller in less time than it is made smaller.
    /// - Throws: `VipsError`, or what keeps an output from being made.
    init?(of decoder: SourceDecoder, for makers: [OutputMaker], _ deadline: Deadline) throws {
        guard makers.count > 1 else { return nil }
        var clock = StageClock()
        var factors: [Int] = []
        for maker in makers {
            guard let factor = try maker.loadFactor() else { return nil }
            factors.append(factor)
        }
        let least = factors.min() ?? 1
        let smaller = factors.filter { $0 > 1 }.min() ?? least
        for factor in Set([least, smaller]) {
            let opened = try decoder.open(factor: factor)
            deadline.watch(opened)
            rasters[factor] = try opened.inMemory()
        }
        clock.endDecode()
        microseconds = clock.timing.decode
    }

    /// The picture as it is loaded so many times smaller.
    ///
    /// - Parameter factor: a power of two that an output allows.
    func raster(_ factor: Int) throws -> Raster {
        if let raster = rasters[factor] { return raster }
        let larger = try raster(factor / 2)
        let raster = try larger.transparently { frame in
            try frame.resized(width: max(1, frame.width / 2), height: max(1, frame.height / 2))
        }.inMemory()
        rasters[factor] = raster
        return raster
    }
}
