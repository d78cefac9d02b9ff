import HTTPSemantics
package import LinuxSystem

/// Where the log is: `redis://[user:password@]host[:port][/db]` or `redis+unix://[user:password@]/path[?db=N]`.
///
/// Prints without the password.
package struct LogLocation: Sendable, Hashable, CustomStringConvertible {
    /// The address of the engine.
    package enum Endpoint: Sendable, Hashable {
        /// A host name or address, and a port.
        case host(String, port: UInt16)
        /// The path of a Unix socket.
        case unix(String)
    }

    /// The address of the engine.
    package let endpoint: Endpoint
    /// The name for AUTH; empty for the default user.
    package let user: String
    /// The password; empty for none.
    package let password: Secret
    /// The number of the database.
    package let database: Int

    /// Why a text is no location.
    package struct Failure: Error, Hashable, CustomStringConvertible {
        /// What is wrong, without a secret.
        package let description: String
    }

    /// Parses a location.
    package init(_ text: String) throws(Failure) {
        if let rest = text.removing(prefix: "redis+unix://") {
            try self.init(unix: rest)
        } else if let rest = text.removing(prefix: "redis://") {
            try self.init(host: rest)
        } else if text.hasPrefix("rediss://") {
            throw Failure(
                description: "rediss: TLS is not supported; connect through a local TLS proxy such as stunnel"
            )
        } else {
            throw Failure(description: "expected redis://[user:password@]host[:port][/db] or redis+unix:///path[?db=N]")
        }
    }

    private init(unix rest: Substring) throws(Failure) {
        let address: Substring
        (user, password, address) = try Self.credentials(rest, endingBefore: "@/")
        let parts = address.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let path = try Self.decoded(parts[0], "path")
        guard path.hasPrefix("/") else {
            throw Failure(description: "redis+unix: needs an absolute path: redis+unix:///path")
        }
        // sun_path of unix(7), with its terminator.
        guard path.utf8.count < 108 else { throw Failure(description: "redis+unix: the path is longer than 107 bytes") }
        endpoint = .unix(path)
        guard parts.count == 2 else {
            database = 0
            return
        }
        guard let number = parts[1].removing(prefix: "db=") else {
            throw Failure(description: "redis+unix: the only parameter is db")
        }
        database = try Self.database(number)
    }

    private init(host rest: Substring) throws(Failure) {
        let address: Substring
        (user, password, address) = try Self.credentials(rest, endingBefore: "@")
        let parts = address.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        endpoint = try Self.endpoint(parts[0])
        database = parts.count == 1 || parts[1].isEmpty ? 0 : try Self.database(parts[1])
    }

    /// Splits user and password off, which the last `mark` ends: a password may contain an @ or a slash.
    private static func credentials(
        _ text: Substring,
        endingBefore mark: String
    ) throws(Failure) -> (user: String, password: Secret, rest: Substring) {
        guard let end = text.indices.last(where: { text[$0...].hasPrefix(mark) }) else { return ("", Secret(""), text) }
        let parts = text[..<end].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { throw Failure(description: "expected user:password or :password before the @") }
        let user = try decoded(parts[0], "user")
        let password = try decoded(parts[1], "password")
        guard user.isEmpty || !password.isEmpty else { throw Failure(description: "the user has no password") }
        return (user, Secret(password), text[end...].dropFirst())
    }

    private static func endpoint(_ authority: Substring) throws(Failure) -> Endpoint {
        var host = authority
        var port: Substring?
        if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") {
            host = authority[..<end].dropFirst()
            let rest = authority[end...].dropFirst()
            guard rest.isEmpty || rest.hasPrefix(":") else {
                throw Failure(description: "expected :port after the address")
            }
            port = rest.isEmpty ? nil : rest.dropFirst()
        } else if let colon = authority.firstIndex(of: ":") {
            (host, port) = (authority[..<colon], authority[colon...].dropFirst())
        }
        guard !host.isEmpty, host.allSatisfy({ $0.isASCII && !" ?#%\\@[".contains($0) }) else {
            throw Failure(description: "\(host) is not a host")
        }
        guard let port else { return .host(String(host), port: 6_379) }
        guard let number = UInt16(port), number > 0, port.allSatisfy(\.isNumber) else {
            throw Failure(description: "\(port) is not a port (1–65535)")
        }
        return .host(String(host), port: number)
    }

    private static func database(_ text: Substring) throws(Failure) -> Int {
        guard let number = Int(text), (0...65_535).contains(number), text.allSatisfy(\.isNumber) else {
            throw Failure(description: "\(text) is not a database number (0–65535)")
        }
        return number
    }

    private static func decoded(_ text: Substring, _ part: String) throws(Failure) -> String {
        guard let bytes = PercentEncoding.decodeStrictly(text.utf8) else {
            throw Failure(description: "the \(part) has a malformed percent escape; write % as %25")
        }
        guard let decoded = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
            throw Failure(description: "the \(part) is not UTF-8 without NUL")
        }
        return decoded
    }

    /// The location as a text, with `[redacted]` for the password.
    package var description: String {
        let credentials = password.isEmpty ? "" : "\(user):\(Secret.redacted)@"
        return switch endpoint {
        case .unix(let path): "redis+unix://\(credentials)\(path)\(database == 0 ? "" : "?db=\(database)")"
        case .host(let host, let port):
            "redis://\(credentials)\(host.contains(":") ? "[\(host)]" : host):\(port)\(database == 0 ? "" : "/\(database)")"
        }
    }
}

extension StringProtocol {
    fileprivate func removing(prefix: String) -> SubSequence? { hasPrefix(prefix) ? dropFirst(prefix.count) : nil }
}
