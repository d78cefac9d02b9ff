import Glibc
import ImagePlan

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
