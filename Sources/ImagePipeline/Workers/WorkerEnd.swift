import CLinux
import Glibc
import LinuxSystem

/// How a worker process ended, as far as it indicates the cause.
enum WorkerEnd: Hashable {
    /// The process raised a fatal signal itself; during a job, the image caused it.
    case crashed(signal: CInt)
    /// The process exited or was killed from outside.
    case lost

    /// Creates a value from a `waitpid` status.
    init(status: CInt) {
        let signal = edge_wait_signal(status)
        self = Self.selfInflicted.contains(signal) ? .crashed(signal: signal) : .lost
    }

    /// Aborts and traps (GLib aborts when an allocation fails), memory and arithmetic faults, and the signals of resource limits.
    private static let selfInflicted: Set<CInt> = [
        SIGABRT, SIGTRAP, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGXCPU, SIGXFSZ, SIGSYS,
    ]
}

/// The reason why a worker process sent no greeting.
enum WorkerStartFailure: Error, Hashable {
    /// The system could not create a process or a socket.
    case system(Errno)
    /// The process ended; its exit code, or `nil` after a signal.
    case ended(code: CInt?)
    /// No greeting arrived within this many milliseconds.
    case silent(Int)
    /// The greeting has another protocol version.
    case foreign
    /// `workers.sandbox: require` demands layers that are not in force; their names.
    case unconfined([String])
    /// A library needs system calls that the filter does not list, which `workers.sandbox: require` does not allow; their names.
    case needsCalls([String])

    /// Whether the next start may succeed.
    var isTransient: Bool {
        switch self {
        case .system, .ended, .silent: true
        case .foreign, .unconfined, .needsCalls: false
        }
    }

    /// Returns the cause and the remedy for operators.
    func reason(path: String) -> String {
        guard unsafe access(path, F_OK) == 0 else {
            return "\(path) does not exist; install edgeprint-worker into the folder of edgeprint"
        }
        guard unsafe access(path, X_OK) == 0 else { return "\(path) cannot be executed; run chmod 0755 \(path)" }
        return switch self {
        case .system(let error): "cannot start \(path): \(error); raise TasksMax= or ulimit -u"
        // The exit codes of edge_spawn: 126 for the limits, 127 for exec.
        case .ended(code: 126): "the limits of \(path) cannot be set; run edgeprint doctor for details"
        case .ended(code: 127):
            "\(path) is not executable on this machine, or its libraries are missing; check it with ldd"
        case .ended(let code):
            "\(path) ends \(code.map { "with code \($0)" } ?? "by a signal") before it is ready; run edgeprint doctor for details"
        case .silent(let milliseconds):
            "\(path) is not ready within \(milliseconds) ms; check the machine's load and workers.memory"
        case .unconfined(let layers):
            "workers.sandbox is require, but \(path) runs without \(layers.joined(separator: ", ")); use a kernel with seccomp and "
                + "Landlock, allow landlock_create_ruleset, landlock_add_rule, landlock_restrict_self and seccomp in the unit's "
                + "SystemCallFilter=, or set workers.sandbox: best"
        case .needsCalls(let names):
            "workers.sandbox is require, but a library of \(path) makes system calls that its filter does not list: "
                + "\(names.joined(separator: ", ")); install a release of edgeprint for these libraries, or set workers.sandbox: best"
        case .foreign: "\(path) belongs to another release; install edgeprint and edgeprint-worker from the same build"
        }
    }
}
