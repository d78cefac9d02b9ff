import CVips
import ImagePlan

/// The decoded source of a job that wants both a picture and the placeholder: decoded once, in memory.
///
/// Confined to the worker's only job thread.
final class SharedDecode {
    /// Bytes of pixels; a larger picture is decoded twice rather than held: libvips streams it otherwise.
    private static let maximumSize = 64 << 20

    private let deadline: Deadline
    private(set) var decoded: (raster: Raster, loadFactor: Int)?

    init(deadline: Deadline) {
        self.deadline = deadline
    }

    /// Computes what was opened for the picture, and remembers it; gives it back as it is where it is large.
    func keep(_ raster: Raster, loadFactor: Int) throws -> Raster {
        guard decoded == nil, raster.byteCount <= Self.maximumSize else { return raster }
        try deadline.check()
        deadline.watch(raster)
        let copy = try raster.inMemory()
        decoded = (copy, loadFactor)
        return copy
    }
}

extension Raster {
    /// Bytes of all pixels as they would be held in memory.
    fileprivate var byteCount: Int {
        width.multipliedSaturated(by: height).multipliedSaturated(by: bands * Int(vips_format_sizeof(format)))
    }
}
