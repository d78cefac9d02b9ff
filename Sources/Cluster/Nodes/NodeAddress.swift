package import HTTPSemantics

/// The name of a node: the host and the port of its public listener, as other nodes reach it.
package struct NodeAddress: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// A host name in lower case, or an IP address in canonical form, without brackets.
    package let host: String
    package let port: UInt16

    /// Creates a name.
    package init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Parses `host:port`; an IPv6 address is in brackets.
    package init?(_ text: String) {
        guard let url = try? OriginURL("http://\(text)/"), url.requestTarget == "/",
            let colon = text.lastIndex(of: ":"), text[..<colon].lowercased() == url.hostText,
            let port = UInt16(text[text.index(after: colon)...]), port > 0
        else { return nil }
        switch url.host {
        case .name(let name): self.init(host: name, port: port)
        // Other spellings of an address would be other names.
        case .address(let address): self.init(host: address.text, port: port)
        }
        guard description == text.lowercased() else { return nil }
    }

    /// The address, if the host is one.
    package var literal: IPAddress? { IPAddress(host) }

    /// `host:port`.
    package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    package static func < (left: NodeAddress, right: NodeAddress) -> Bool {
        (left.host, left.port) < (right.host, right.port)
    }
}

/// An entry of the configured list of nodes.
package enum NodeEntry: Hashable, Sendable, CustomStringConvertible {
    /// One node.
    case node(NodeAddress)
    /// A name in DNS: each of its addresses is a node.
    case name(NodeAddress)

    /// Parses `host:port` or `dns:host:port`.
    package init?(_ text: String) {
        guard text.hasPrefix("dns:") else {
            guard let address = NodeAddress(text) else { return nil }
            self = .node(address)
            return
        }
        guard let name = NodeAddress(String(text.dropFirst(4))), name.literal == nil else { return nil }
        self = .name(name)
    }

    package var description: String {
        switch self {
        case .node(let address): address.description
        case .name(let name): "dns:\(name)"
        }
    }

    /// The host to look up; `nil` for an address.
    var lookedUp: String? {
        switch self {
        case .node(let address): address.literal == nil ? address.host : nil
        case .name(let name): name.host
        }
    }
}
