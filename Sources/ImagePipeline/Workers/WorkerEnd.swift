import CLinux
import Glibc

/// How a worker process ended, as far as it tells whose fault that is.
enum WorkerEnd: Hashable {
    /// A signal that a process brings upon itself: on a job, the picture's doing.
    case crashed(signal: CInt)
    /// Everything else: killed from outside, or an exit of its own.
    case lost

    /// Reads a status of `waitpid`.
    init(status: CInt) {
        let signal = edge_wait_signal(status)
        self = Self.selfInflicted.contains(signal) ? .crashed(signal: signal) : .lost
    }

    /// Aborts and traps (GLib ends a process so when an allocation fails), memory and arithmetic faults, and the limits' signals.
    private static let selfInflicted: Set<CInt> = [
        SIGABRT, SIGTRAP, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGXCPU, SIGXFSZ, SIGSYS,
    ]
}
