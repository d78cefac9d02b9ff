/// Finds the client of a request in `X-Forwarded-For`, as reported by trusted proxies.
///
/// Each proxy appends the address of its peer, so the list is read from the end: the first address that is not a trusted proxy
/// is the client. Everything before it is untrusted.
enum ForwardedFor {
    /// The client; `nil` if the field names none that can be trusted.
    static func client(_ head: borrowing RequestHead, _ bytes: Span<UInt8>, proxies: TrustedProxies) -> PeerAddress? {
        var hops: [UInt8] = []
        head.forEach(.xForwardedFor) { value in
            // RFC 9110 §5.3: several lines are one list.
            if !hops.isEmpty { hops.append(UInt8(ascii: ",")) }
            for index in value { hops.append(bytes[index]) }
        }
        var client: PeerAddress?
        for hop in hops.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).reversed() {
            guard let address = address(String(decoding: hop, as: UTF8.self)) else { return client }
            client = address
            if !proxies.trusts(address) { return address }
        }
        return client
    }

    /// Parses one hop: an address, optionally with a port; IPv6 optionally in brackets.
    private static func address(_ hop: String) -> PeerAddress? {
        let text = hop.drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed()
        let hop = String(text)
        if hop.hasPrefix("[") {
            guard let end = hop.firstIndex(of: "]") else { return nil }
            let rest = hop[hop.index(after: end)...]
            guard rest.isEmpty || (rest.hasPrefix(":") && isPort(rest.dropFirst())) else { return nil }
            let inner = String(hop[hop.index(after: hop.startIndex)..<end])
            return inner.contains(":") ? PeerAddress(inner, port: 0) : nil
        }
        // Azure's gateway, among others, adds a port to IPv4 addresses.
        if let colon = hop.firstIndex(of: ":"), hop.firstIndex(of: ".").map({ $0 < colon }) == true {
            guard isPort(hop[hop.index(after: colon)...]) else { return nil }
            return PeerAddress(String(hop[..<colon]), port: 0)
        }
        return PeerAddress(hop, port: 0)
    }

    private static func isPort(_ text: Substring) -> Bool {
        text.utf8.allSatisfy { (48...57).contains($0) } && UInt16(text) != nil
    }
}
