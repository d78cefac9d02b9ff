import CLinux
import Glibc
import LinuxSystem

/// Sends notifications to the service manager, as datagrams of sd_notify(3) without its library; any thread.
///
/// Datagrams that cannot be sent are dropped silently: an unresponsive manager must not affect the service.
final class ServiceNotifier: Sendable {
    /// A notification.
    enum Message: Hashable, Sendable {
        /// The daemon serves, for the first time or again after reloading.
        case ready
        /// The daemon reloads its configuration, since this time of CLOCK_MONOTONIC in microseconds.
        case reloading(since: Int64)
        /// The daemon drains.
        case stopping
        /// Keep-alive for the watchdog.
        case watchdog
        /// A status line for display.
        case status(String)
        /// Another process is the service's main process from now on.
        case main(process: pid_t)
        /// The manager shall no longer keep a socket for the next start.
        case forget(socket: String)
        /// The current operation may take this many microseconds more.
        case extendTimeout(microseconds: Int64)

        /// The variable assignments of the notification.
        var text: String {
            switch self {
            case .ready: "READY=1"
            case .reloading(let since): "RELOADING=1\nMONOTONIC_USEC=\(since)"
            case .stopping: "STOPPING=1"
            case .watchdog: "WATCHDOG=1"
            case .status(let line):
                "STATUS=\(line.filter { !$0.isNewline && $0.asciiValue.map { $0 >= 0x20 && $0 != 0x7F } ?? true })"
            case .main(let process): "MAINPID=\(process)"
            case .forget(let name): "FDSTOREREMOVE=1\nFDNAME=\(name)"
            case .extendTimeout(let microseconds): "EXTEND_TIMEOUT_USEC=\(microseconds)"
            }
        }
    }

    private let socket: SharedDescriptor
    /// `sun_path`, with a leading NUL for an abstract name.
    private let path: [UInt8]

    /// Opens a socket for the address in `NOTIFY_SOCKET`; `nil` unless it is `/path` or `@abstract`.
    init?(address: String) {
        var path = Array(address.utf8)
        guard path.count > 1, path.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path),
            path[0] == UInt8(ascii: "/") || path[0] == UInt8(ascii: "@")
        else { return nil }
        if path[0] == UInt8(ascii: "@") { path[0] = 0 }
        let number = Glibc.socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { return nil }
        socket = SharedDescriptor(owning: number)
        self.path = path
    }

    /// Gives the manager a socket to keep for the next start, under a name.
    ///
    /// - Returns: whether it was sent.
    func keep(_ descriptor: CInt, named name: String) -> Bool {
        send("FDSTORE=1\nFDNAME=\(name)", with: descriptor)
    }

    /// Blocks until the manager has processed all earlier notifications, for five seconds at most (`BARRIER=1` of sd_notify(3)).
    func waitUntilProcessed() {
        var ends: [CInt] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { return }
        for end in ends { edge_set_cloexec(end, 1) }
        defer { close(ends[0]) }
        let isSent = send("BARRIER=1", with: ends[1])
        close(ends[1])
        // The manager closes its copy.
        var entry = pollfd(fd: ends[0], events: 0, revents: 0)
        if isSent { unsafe poll(&entry, 1, 5_000) }
    }

    /// Sends a notification with a descriptor.
    private func send(_ text: String, with descriptor: CInt) -> Bool {
        // On a socket of its own: with descriptors, the address must be that of the connection.
        let number = Glibc.socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { return false }
        defer { close(number) }
        // Waits a second at most for a manager that is behind.
        var time = timeval(tv_sec: 1, tv_usec: 0)
        unsafe setsockopt(number, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        let isConnected = unsafe withAddress { unsafe connect(number, $0, $1) == 0 }
        let bytes = Array(text.utf8)
        var descriptors = [descriptor]
        guard isConnected else { return false }
        return unsafe edge_send_with_descriptors(number, bytes, bytes.count, &descriptors, 1) >= 0
    }

    /// Sends notifications in one datagram.
    ///
    /// - Returns: false if the manager is behind.
    @discardableResult
    func send(_ messages: Message...) -> Bool {
        let bytes = Array(messages.map(\.text).joined(separator: "\n").utf8)
        return unsafe withAddress { address, length in
            let flags = CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT)
            return unsafe sendto(socket.number, bytes, bytes.count, flags, address, length) >= 0
        }
    }

    private func withAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        var target = sockaddr_un()
        target.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &target.sun_path) { unsafe $0.copyBytes(from: path) }
        // The length of the address delimits an abstract name; a path ends at its NUL.
        let length = socklen_t(MemoryLayout.offset(of: \sockaddr_un.sun_path) ?? 2) + socklen_t(path.count)
        return unsafe withUnsafePointer(to: &target) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                unsafe body(generic, length)
            }
        }
    }
}
