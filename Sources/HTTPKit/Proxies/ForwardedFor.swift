/// What trusted proxies say of a request's client in `X-Forwarded-For`.
///
/// Each proxy appends whom it was asked by, so the list is read from its end: the first address that is no trusted proxy's is
/// the client. What stands before it may be anybody's invention.
enum ForwardedFor {
    /// The client; `nil` where the field names none that can be believed.
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

    /// One hop: an address, perhaps with a port, an IPv6 one perhaps in brackets.
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
        // Azure's gateway and others add the port to an IPv4 address.
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
