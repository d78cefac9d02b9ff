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

    /// The process that this one takes over from; `nil` if there is none.
    var predecessor: pid_t?
    /// How many descriptors the manager keeps for the next start (`FileDescriptorStoreMax=`; since systemd 254).
    var storeSize = 0

    /// A passed descriptor.
    struct Socket: Sendable, Equatable {
        var number: CInt
        /// `FileDescriptorName=` of the unit; empty if there is none.
        var name: String
    }

    /// The number of the first passed descriptor (`SD_LISTEN_FDS_START`).
    private static let firstSocket: CInt = 3
    /// The most descriptors that are taken: own ones are one for each core and address.
    private var mostSockets: CInt { predecessor != nil || storeSize > 0 ? 1_024 : 64 }

    /// The variable with the id of the process that a successor takes over from.
    static let predecessorName = "LISTEN_PREDECESSOR"

    /// Reads the variables that are addressed to a process.
    ///
    /// - Parameter parent: the id of its parent.
    init(_ environment: [String: String], process: pid_t, parent: pid_t = 0) {
        if parent > 0, environment[Self.predecessorName] == String(parent) { predecessor = parent }
        storeSize = environment["FDSTORE"].flatMap { Int($0) } ?? 0
        notifySocket = environment["NOTIFY_SOCKET"]
        let watched = environment["WATCHDOG_PID"].map { $0 == String(process) } ?? true
        if watched, let text = environment["WATCHDOG_USEC"], let value = Int64(text), value > 0 {
            watchdogMicroseconds = value
        }
        guard environment["LISTEN_PID"] == String(process) || predecessor != nil, let text = environment["LISTEN_FDS"],
            let count = CInt(text), (1...mostSockets).contains(count)
        else { return }
        let names = (environment["LISTEN_FDNAMES"] ?? "").split(separator: ":", omittingEmptySubsequences: false)
        sockets = (0..<count).map { index in
            Socket(number: Self.firstSocket + index, name: Int(index) < names.count ? String(names[Int(index)]) : "")
        }
    }
}
