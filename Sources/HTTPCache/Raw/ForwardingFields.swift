package import HTTPSemantics
package import LinuxSystem

extension FieldLines {
    /// What of a client's end-to-end fields a raw source sends on.
    ///
    /// Left out is what only an intermediary may say, which origins believe although no cache key knows it, and names that are
    /// not made of letters, digits and hyphens: many origins read `Content_Length` as `Content-Length` (nginx drops both kinds of
    /// names by default). `Max-Forwards` is counted down where it counts (RFC 9110 §7.6.2).
    func forwardable(method: String) -> FieldLines {
        var result = FieldLines(lines.filter { Self.isPlain($0.name) && !Self.isForwarding($0.key) })
        if ["OPTIONS", "TRACE"].contains(method), let left = maximumForwards {
            result.remove(["max-forwards"])
            result.append("Max-Forwards", String(max(0, left - 1)))
        }
        return result
    }

    /// How many more intermediaries may pass the request on (RFC 9110 §7.6.2); `nil` where the field is absent or malformed.
    package var maximumForwards: Int? {
        guard let text = self["max-forwards"], !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else {
            return nil
        }
        return Int(text) ?? .max
    }

    /// Without the lines of `Authorization` that have a token of the daemon's own in them.
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
    }

    /// Fields by which intermediaries state the client's address, route, host, method, URL or certificate (RFC 9440 §4); `Proxy`
    /// becomes HTTP_PROXY in a CGI program.
    private static let forwarding: Set<String> = [
        "via", "cdn-loop", "forwarded", "proxy", "front-end-https", "x-real-ip", "x-client-ip", "client-ip",
        "true-client-ip", "x-cluster-client-ip", "x-remote-ip", "x-remote-addr", "x-originating-ip",
        "x-proxyuser-ip", "cf-connecting-ip", "cf-connecting-ipv6", "fastly-client-ip", "fly-client-ip",
        "x-azure-clientip", "x-host", "x-scheme", "x-url-scheme", "x-rewrite-url", "x-http-method",
        "x-http-method-override", "x-method-override", "client-cert", "client-cert-chain", "x-sendfile-type",
        "x-accel-mapping",
    ]
}
