import Glibc
import HTTPSemantics
import LinuxSystem
import OriginTransfer

extension ValueFormat where Value == String {
    /// The absolute path of a file; whether it can be read is known when the source is used (`edgeprint doctor`).
    static var absoluteFile: ValueFormat {
        .scalar("the absolute path of a file") { text in
            let isPrintable = text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
            return isPrintable && text.hasPrefix("/") && !text.hasSuffix("/") ? text : nil
        } write: {
            .quoted($0)
        }
    }
}

extension ValueFormat where Value == TransferProxy {
    /// The URL of a proxy; a password in it is redacted in output.
    static var proxy: ValueFormat {
        .scalar(
            "a proxy such as http://proxy.example.com:3128, https://… or socks5h://…, with its port and no path",
            parse: TransferProxy.init(configured:)
        ) { proxy in
            let user = proxy.user.map { user in
                PercentEncoding.encode(user.utf8, except: PercentEncoding.isUnreserved)
                    + (proxy.password == nil ? "" : ":\(Secret.redacted)") + "@"
            }
            return .quoted("\(proxy.scheme.rawValue)://\(user ?? "")\(proxy.authority)")
        }
        .secret
    }
}

extension ValueFormat where Value == TransferInterface {
    /// A network interface's name, or an address of this machine.
    static var interface: ValueFormat {
        .scalar("a network interface such as eth1, or an address of this machine such as 192.0.2.7") { text in
            if IPAddress(text) != nil { return .address(text) }
            // IFNAMSIZ, with the final NUL; dev_valid_name() of the kernel.
            let isName = text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"/:!".utf8.contains($0) }
            return isName && (1..<Int(IFNAMSIZ)).contains(text.utf8.count) && text != "." && text != ".."
                ? .device(text) : nil
        } write: {
            .quoted($0.text)
        }
    }
}

extension TransferProxy {
    /// Parses `SCHEME://[USER[:PASSWORD]@]HOST:PORT`; `nil` for anything else.
    init?(configured text: String) {
        guard let colon = text.firstRange(of: "://"),
            let scheme = Scheme(rawValue: text[..<colon.lowerBound].lowercased())
        else { return nil }
        var authority = text[colon.upperBound...]
        if authority.hasSuffix("/") { authority.removeLast() }
        var (user, password): (String?, Secret?)
        if let at = authority.lastIndex(of: "@") {
            let parts = authority[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decoded(parts[0]), !name.isEmpty else { return nil }
            user = name
            if parts.count > 1 {
                guard let secret = Self.decoded(parts[1]) else { return nil }
                password = Secret(secret)
            }
            authority = authority[authority.index(after: at)...]
        }
        // The scheme is only for parsing; every scheme needs a port, as proxies have no common one.
        guard let digits = authority.split(separator: ":").last, authority.hasSuffix(":\(digits)"),
            let port = Int(digits), (1...65_535).contains(port),
            let url = try? OriginURL("http://\(authority)/"), url.requestTarget == "/"
        else { return nil }
        self.init(scheme, authority: String(authority), user: user, password: password)
    }

    private static func decoded(_ text: Substring) -> String? {
        let bytes = PercentEncoding.decode(text.utf8)
        guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}
