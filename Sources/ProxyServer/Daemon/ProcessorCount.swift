import Glibc

/// Processors that this process may run on.
enum ProcessorCount {
    /// At least one; read once.
    static let online = max(1, Int(sysconf(CInt(_SC_NPROCESSORS_ONLN))))
}
