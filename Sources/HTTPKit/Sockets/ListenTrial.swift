import Glibc
package import LinuxSystem

/// Checks whether a server could listen on an address, without listening on it.
package enum ListenTrial {
    /// The error that binding an address would give; `nil` if there is none, or for a descriptor.
    ///
    /// A TCP address is bound for an instant, without listening. The path of a Unix socket is only inspected, since binding would
    /// create a file: `EADDRINUSE` then means that the path exists, not that someone listens on it.
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
