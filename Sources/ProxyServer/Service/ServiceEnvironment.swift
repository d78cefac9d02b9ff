import Glibc
import HTTPKit

/// What a service manager says in the environment: where it listens, how often it wants to hear, which sockets it has opened
/// (sd_notify(3), sd_watchdog_enabled(3), sd_listen_fds(3)).
struct ServiceEnvironment: Sendable, Equatable {
    /// The address of the notification socket.
    var notifySocket: String?
    /// Microseconds after which silence means death.
    var watchdogMicroseconds: Int64?
    /// Descriptors that were handed over, with their names.
    var sockets: [Socket] = []

    /// A descriptor that was handed over.
    struct Socket: Sendable, Equatable {
        var number: CInt
        /// `FileDescriptorName=` of the unit; empty where nobody said one.
        var name: String
    }

    /// The first descriptor that is handed over (`SD_LISTEN_FDS_START`).
    private static let firstSocket: CInt = 3
    private static let names = [
        "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES",
    ]

    /// Reads the variables that are meant for a process.
    init(_ environment: [String: String], process: pid_t) {
        notifySocket = environment["NOTIFY_SOCKET"]
        let watched = environment["WATCHDOG_PID"].map { $0 == String(process) } ?? true
        if watched, let text = environment["WATCHDOG_USEC"], let value = Int64(text), value > 0 {
            watchdogMicroseconds = value
        }
        guard environment["LISTEN_PID"] == String(process), let text = environment["LISTEN_FDS"],
            let count = CInt(text), (1...64).contains(count)
        else { return }
        let names = (environment["LISTEN_FDNAMES"] ?? "").split(separator: ":", omittingEmptySubsequences: false)
        sockets = (0..<count).map { index in
            Socket(number: Self.firstSocket + index, name: Int(index) < names.count ? String(names[Int(index)]) : "")
        }
    }

    /// Takes the variables out of the process's environment: workers must not believe that they are the service.
    static func clear() {
        for name in names { unsafe unsetenv(name) }
    }
}
