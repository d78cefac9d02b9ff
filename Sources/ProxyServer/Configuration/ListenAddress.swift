/// Where a server listens.
enum ListenAddress: Hashable, Sendable, CustomStringConvertible {
    /// A numeric address, a name, or empty for every interface; port 0 takes a free one.
    case tcp(host: String, port: UInt16)
    /// A Unix-domain socket at a path.
    case unix(path: String)

    /// Parses `HOST:PORT`, `[V6]:PORT`, `:PORT` or `unix:/path`; `nil` for anything else.
    init?(_ text: String) {
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst(5))
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

    var description: String {
        switch self {
        case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unix(let path): "unix:\(path)"
        }
    }
}
