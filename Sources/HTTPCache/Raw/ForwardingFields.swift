package import HTTPSemantics
package import LinuxSystem

extension FieldLines {
    /// The end-to-end fields of a client's request that a raw source forwards to the origin.
    ///
    /// Fields that only an intermediary may set are removed: origins trust them, but no cache key includes them. Names with
    /// characters other than letters, digits and hyphens are removed as well, since many origins read `Content_Length` as
    /// `Content-Length` (nginx drops both kinds by default). OPTIONS and TRACE decrement `Max-Forwards` (RFC 9110 §7.6.2).
    func forwardable(method: String) -> FieldLines {
        var result = FieldLines(lines.filter { Self.isPlain($0.name) && !Self.isForwarding($0.key) })
        if ["OPTIONS", "TRACE"].contains(method), let left = maximumForwards {
            result.remove(["max-forwards"])
            result.append("Max-Forwards", String(max(0, left - 1)))
        }
        return result
    }

    /// The remaining number of intermediaries that may forward the request (RFC 9110 §7.6.2); `nil` if absent or malformed.
    package var maximumForwards: Int? {
        guard let text = self["max-forwards"], !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else {
            return nil
        }
        return Int(text) ?? .max
    }

    /// Returns the fields without the `Authorization` lines that contain one of the daemon's own tokens.
    package func withoutAuthorization(by token: Secret) -> FieldLines {
        guard !token.isEmpty, contains("authorization") else { return self }
        return FieldLines(
            lines.filter { line in
                guard line.key == "authorization" else { return true }
                return !line.value.split(whereSeparator: { $0 == 0x20 || $0 == 0x09 }).contains { token.matches($0) }
            }
        )
    }

    private static func isPlain(_ name: String) -> Bool {
        name.utf8.allSatisfy {
            switch $0 {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D: true
            default: false
            }
        }
    }

    private static func isForwarding(_ key: String) -> Bool {
        forwarding.contains(key) || key.hasPrefix("x-forwarded") || key.hasPrefix("x-original-")
            // Between nodes of a cluster only.
            || key.hasPrefix("edgeprint-")
    }

    /// Fields in which intermediaries pass on the client's address, route, host, method, URL or certificate (RFC 9440 §4).
    ///
    /// CGI exposes `Proxy` as HTTP_PROXY.
    private static let forwarding: Set<String> = [
        "via", "cdn-loop", "forwarded", "proxy", "front-end-https", "x-real-ip", "x-client-ip", "client-ip",
        "true-client-ip", "x-cluster-client-ip", "x-remote-ip", "x-remote-addr", "x-originating-ip",
        "x-proxyuser-ip", "cf-connecting-ip", "cf-connecting-ipv6", "fastly-client-ip", "fly-client-ip",
        "x-azure-clientip", "x-host", "x-scheme", "x-url-scheme", "x-rewrite-url", "x-http-method",
        "x-http-method-override", "x-method-override", "client-cert", "client-cert-chain", "x-sendfile-type",
        "x-accel-mapping",
    ]
}
