import Glibc
import ImagePlan

/// The memory needed by encoders that hold several copies of an image; with less, they abort the process or fail silently.
///
/// The figures are below the smallest limits at which 12 and 50 MP images were encoded with libvips 8.14, aom 3.6 and libjxl 0.7, so
/// that no possible result is refused.
enum EncoderMemory {
    /// The address space of a worker before its first job, in bytes.
    private static let libraries = 160 << 20

    /// The address space limit of this process in bytes; `nil` if unlimited.
    static var limit: Int? {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0 else { return nil }
        return limit.rlim_cur == rlim_t.max ? nil : Int(clamping: limit.rlim_cur)
    }

    /// Checks that an encoder has enough memory for an image.
    ///
    /// - Throws: `WorkerReply.Failure.refused` if it would fail.
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

/// The limit on results: the file size limit (`RLIMIT_FSIZE`) that the daemon sets for this process.
enum OutputLimit {
    /// Checks the length of a result in bytes.
    ///
    /// - Throws: `WorkerReply.Failure.refused` above the limit, where the kernel would kill the process with SIGXFSZ.
    static func check(_ count: Int) throws(WorkerReply.Failure) {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else { return }
        guard limit.rlim_cur == rlim_t.max || UInt64(count) <= UInt64(limit.rlim_cur) else {
            throw .refused("the result has \(count) bytes; the limit is \(limit.rlim_cur)")
        }
    }
}
