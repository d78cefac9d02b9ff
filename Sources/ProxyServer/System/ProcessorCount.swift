import Glibc

/// The number of processors.
enum ProcessorCount {
    /// The online processors, at least one; read once.
    static let online = max(1, Int(sysconf(CInt(_SC_NPROCESSORS_ONLN))))
}
