import Glibc
import HTTPKit
import LinuxSystem

/// Why an address cannot be listened on, and what to do about it; for the daemon's start and for `edgeprint doctor`.
struct ListenTrouble {
    /// What is wrong, in a clause.
    let message: String
    /// What to do.
    let fix: String

    init(_ address: ListenAddress, _ error: Errno) {
        switch (address, error.code) {
        case (.tcp(_, let port), EADDRINUSE):
            message = "another process has it"
            fix = "ss -ltnp 'sport = :\(port)' names who has it; end that, or name another port"
        case (.tcp, EACCES):
            message = "this user may not bind it: \(error)"
            fix = "use a port from 1024 on behind nginx, a socket unit, or AmbientCapabilities=CAP_NET_BIND_SERVICE"
        case (.tcp, EADDRNOTAVAIL):
            message = "no interface of this machine has it"
            fix = "name an address that ip address shows, or :PORT for all of them"
        case (.unix, EADDRINUSE):
            message = "another process has it"
            fix = "ss -lxp names who has it; end that, or name another path"
        case (.unix(let path), EEXIST):
            message = "\(path) is there and no socket"
            fix = "remove it, or name another path"
        case (.unix(let path), _):
            let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "/"
            message = "no socket can be made in \(folder): \(error)"
            fix = "create \(folder) for the user that serves (the unit: RuntimeDirectory=)"
        default:
            message = "cannot be bound: \(error)"
            fix = "name another address"
        }
    }
}
