import Glibc
import HTTPKit
import LinuxSystem

/// The reason why an address cannot be bound, with a fix; for start errors and `edgeprint doctor`.
struct ListenTrouble {
    /// The problem, in a clause.
    let message: String
    let fix: String

    init(_ address: ListenAddress, _ error: Errno) {
        switch (address, error.code) {
        case (.tcp(_, let port), EADDRINUSE):
            message = "in use by another process"
            fix = "find the process with ss -ltnp 'sport = :\(port)' and stop it, or use another port"
        case (.tcp, EACCES):
            message = "this user is not allowed to bind it: \(error)"
            fix = "use a port from 1024 on behind nginx, a socket unit, or AmbientCapabilities=CAP_NET_BIND_SERVICE"
        case (.tcp, EADDRNOTAVAIL):
            message = "not an address of this machine"
            fix = "use an address listed by ip address, or :PORT for all of them"
        case (.unix, EADDRINUSE):
            message = "in use by another process"
            fix = "find the process with ss -lxp and stop it, or use another path"
        case (.unix(let path), EEXIST):
            message = "\(path) exists and is not a socket"
            fix = "remove it, or use another path"
        case (.unix(let path), _):
            let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "/"
            message = "cannot create a socket in \(folder): \(error)"
            fix = "create \(folder), writable by the daemon's user (systemd: RuntimeDirectory=)"
        default:
            message = "cannot be bound: \(error)"
            fix = "use another address"
        }
    }
}
