import Glibc
package import LinuxSystem

/// Tries whether a server could listen, without listening: no client ever notices.
package enum ListenTrial {
    /// Why an address cannot be bound; `nil` where it can, and for what somebody else has bound.
    ///
    /// A TCP address is bound for an instant, without queue; a Unix socket's path is only looked at, as to bind it would
    /// leave a file: `EADDRINUSE` says that something has the name, not that somebody listens.
    package static func error(_ address: ListenAddress) -> Errno? {
        switch address {
        case .descriptor: return nil
        case .tcp(_, port: 0): return nil
        case .tcp(let host, let port):
            do throws(Errno) {
                try ListenerFactory.tryToBind(host, port)
                return nil
            } catch {
                return error
            }
        case .unix(let path):
            let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
            guard unsafe access(folder.isEmpty ? "/" : folder, W_OK | X_OK) == 0 else { return .current("access") }
            return unsafe access(path, F_OK) == 0 ? Errno(EADDRINUSE, "bind") : nil
        }
    }
}
