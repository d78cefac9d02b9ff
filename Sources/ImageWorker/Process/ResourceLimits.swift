import Glibc
import ImagePlan

/// What encoders that hold a whole picture, several times over, need at least: one that gets less ends the process, or says nothing.
///
/// Less than the least limits at which photographs and drawings of 12 and 50 MP were made with libvips 8.14, aom 3.6 and libjxl 0.7, so
/// that nothing is refused that could be made.
enum EncoderMemory {
    /// Bytes that a worker takes before any picture.
    private static let libraries = 160 << 20

    /// The bytes of address space that this process may have; `nil` for all.
    static var limit: Int? {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0 else { return nil }
        return limit.rlim_cur == rlim_t.max ? nil : Int(clamping: limit.rlim_cur)
    }

    /// Makes sure that an encoder has what it needs at least.
    ///
    /// - Throws: `WorkerReply.Failure.refused`, in place of the process's end.
    static func check(
        _ size: PixelSize,
        bytesPerPixel: Int,
        as format: ImageFormat,
        limit: Int? = limit
    ) throws(WorkerReply.Failure) {
        guard let limit else { return }
        let needed = size.pixels.multipliedSaturated(by: bytesPerPixel)
        guard needed > limit - min(limit, libraries) else { return }
        throw .refused(
            "\(format) of \(size) pixels needs \(needed.addingReportingOverflow(libraries).partialValue >> 20) MiB at least; "
                + "a worker has \(limit >> 20) (workers.memory)"
        )
    }
}

/// The largest result that may be written: the file size limit that the daemon set for this process.
enum OutputLimit {
    /// - Throws: `WorkerReply.Failure.refused` for a result over the limit, before the kernel would end the process for it.
    static func check(_ count: Int) throws(WorkerReply.Failure) {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else { return }
        guard limit.rlim_cur == rlim_t.max || UInt64(count) <= UInt64(limit.rlim_cur) else {
            throw .refused("the result has \(count) bytes; the limit is \(limit.rlim_cur)")
        }
    }
}
