/// An address a server listens on.
package enum ListenAddress: Hashable, Sendable, CustomStringConvertible {
    /// A numeric IPv4 or IPv6 address, a host name, or empty for all interfaces; port 0 picks a free one.
    case tcp(host: String, port: UInt16)
    /// A Unix-domain socket; a stale socket file at the path is replaced.
    case unix(path: String)
    /// A bound and listening stream socket, as passed by socket activation; the server closes it.
    case descriptor(CInt)

    /// Parses `HOST:PORT`, `[V6]:PORT`, `:PORT` or `unix:/path`.
    ///
    /// - Returns: `nil` for anything else.
    package init?(_ text: String) {
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst(5))
            // sockaddr_un holds 107 bytes and a NUL.
            guard path.hasPrefix("/"), path.utf8.count <= 107, !path.utf8.contains(0) else { return nil }
            self = .unix(path: path)
            return
        }
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let digits = text[text.index(after: colon)...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }), let port = UInt16(digits) else {
            return nil
        }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = String(host.dropFirst().dropLast())
            guard host.contains(":") else { return nil }
        } else if host.contains(":") {
            return nil
        }
        self = .tcp(host: host, port: port)
    }

    package var description: String {
        switch self {
        case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unix(let path): "unix:\(path)"
        case .descriptor(let number): "fd:\(number)"
        }
    }

    /// The TCP port; `nil` for other addresses.
    package var port: UInt16? {
        if case .tcp(_, let port) = self { port } else { nil }
    }
}
