import Glibc
import HTTPKit

/// The environment variables of the service manager: its notification socket, the watchdog timeout and the passed sockets.
///
/// See sd_notify(3), sd_watchdog_enabled(3) and sd_listen_fds(3).
struct ServiceEnvironment: Sendable, Equatable {
    /// The address of the notification socket.
    var notifySocket: String?
    /// The watchdog timeout in microseconds.
    var watchdogMicroseconds: Int64?
    /// The passed descriptors with their names.
    var sockets: [Socket] = []

    /// A passed descriptor.
    struct Socket: Sendable, Equatable {
        var number: CInt
        /// `FileDescriptorName=` of the unit; empty if there is none.
        var name: String
    }

    /// The number of the first passed descriptor (`SD_LISTEN_FDS_START`).
    private static let firstSocket: CInt = 3

    /// Reads the variables that are addressed to a process.
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
}
