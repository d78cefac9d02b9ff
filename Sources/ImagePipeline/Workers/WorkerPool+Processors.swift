import Glibc

extension WorkerPool.Configuration {
    /// Processors that are online.
    static var processors: Int { max(1, Int(sysconf(CInt(_SC_NPROCESSORS_ONLN)))) }
}
