import CLinux
import Glibc
import LinuxSystem

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

/// Why a worker process did not come to its greeting.
enum WorkerStartFailure: Error, Hashable {
    /// The system refuses a process or a socket.
    case system(Errno)
    /// The process ended; its exit code, `nil` after a signal.
    case ended(code: CInt?)
    /// No greeting came within so many milliseconds.
    case silent(Int)
    /// It greeted in another protocol.
    case foreign

    /// What is wrong with the executable at a path and what to do, for operators.
    func reason(path: String) -> String {
        guard unsafe access(path, F_OK) == 0 else {
            return "\(path) is not there; install edgeprint-worker into the folder of edgeprint"
        }
        guard unsafe access(path, X_OK) == 0 else { return "\(path) cannot be run; chmod 0755 \(path)" }
        return switch self {
        case .system(let error): "no process for \(path): \(error); raise TasksMax= or ulimit -u"
        // As edge_spawn says it: limits, then exec.
        case .ended(code: 126): "\(path) cannot be given its limits; edgeprint doctor says which"
        case .ended(code: 127): "\(path) is no program for this machine, or its libraries are missing; ldd names them"
        case .ended(let code):
            "\(path) ends \(code.map { "with code \($0)" } ?? "by a signal") before it greets; edgeprint doctor says more"
        case .silent(let milliseconds):
            "\(path) does not greet within \(milliseconds) ms; look at the machine's load, and at workers.memory"
        case .foreign: "\(path) is of another release; install edgeprint and edgeprint-worker of one build"
        }
    }
}
