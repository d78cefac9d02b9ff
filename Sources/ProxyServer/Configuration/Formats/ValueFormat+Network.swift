import Glibc
import HTTPKit
import HTTPSemantics
import ImagePipeline
import OriginTransfer
import LinuxSystem

extension ValueFormat where Value == ListenAddress {
    /// The address of a listener.
    static var address: ValueFormat {
        .scalar("HOST:PORT with a numeric host or localhost, or unix:/PATH", parse: checkedAddress) {
            .quoted($0.description)
        }
    }

    private static func checkedAddress(_ text: String) -> ListenAddress? {
        guard let address = ListenAddress(text) else { return nil }
        guard case .tcp(let host, _) = address else { return address }
        return host.isEmpty || host == "localhost" || isNumericHost(host) ? address : nil
    }
}

extension ValueFormat where Value == [ListenAddress] {
    /// One or more addresses of a listener, or `off`.
    static var addressesOrOff: ValueFormat {
        let addresses = ValueFormat.nonEmptyList(of: .address)
        return ValueFormat(
            expectation: "\(addresses.expectation), or off",
            read: { node, problems in
                if node.content == .scalar("off") || node.content == .scalar("false") { return [] }
                return addresses.read(node, &problems)
            },
            write: { $0.isEmpty ? .plain("off") : addresses.write($0) },
            schema: .either([.flag, addresses.schema])
        )
    }
}

extension ValueFormat where Value == HostPattern {
    /// Host names with wildcards.
    static var hostPattern: ValueFormat {
        .scalar("a host such as img.example.com or *.example.com", parse: HostPattern.init) { .quoted($0.text) }
    }
}

extension ValueFormat where Value == AddressRange {
    /// Client addresses.
    static var addressRange: ValueFormat {
        .scalar("an address, a range such as 10.0.0.0/8 with no bits set after its prefix, or unix") {
            AddressRange($0)
        } write: {
            .quoted($0.description)
        }
    }
}

extension ValueFormat where Value == [HeaderField] {
    /// Header fields, in order.
    static var headers: ValueFormat {
        ValueFormat(
            expectation: "a map of header fields",
            read: { node, problems in
                guard case .map(let entries) = node.content else {
                    // The value may be a credential and is not shown.
                    problems.add("expected a map of header fields", at: node.place)
                    return nil
                }
                let fields = entries.compactMap { readField($0, &problems) }
                return fields.count == entries.count ? fields : nil
            },
            write: { fields in
                .map(fields.map { ($0.name, .quoted(isPlain($0) ? $0.value : Secret.redacted)) })
            },
            schema: .map(of: .scalar)
        )
    }

    /// Fields that the transfer sets itself, or that would change the meaning of a 200.
    static var ownFields: Set<String> {
        [
            "connection", "content-length", "expect", "if-match", "if-modified-since", "if-none-match", "if-range",
            "if-unmodified-since", "keep-alive", "proxy-connection", "range", "te", "trailer", "transfer-encoding",
            "upgrade",
        ]
    }

    private static func readField(_ entry: TreeEntry, _ problems: inout ValueProblems) -> HeaderField? {
        let name = entry.key
        guard FieldSyntax.isToken(name) else {
            problems.add("is not a valid field name", at: entry.place, path: [name])
            return nil
        }
        guard !ownFields.contains(name.lowercased()) else {
            problems.add("is a field that the server sets itself", at: entry.place, path: [name])
            return nil
        }
        // RFC 9110 §5.5: no control characters. The value may be a secret and is not shown.
        guard case .scalar(let value) = entry.value.content,
            value.utf8.allSatisfy({ ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 })
        else {
            problems.add("must not contain control characters", at: entry.value.place, path: [name])
            return nil
        }
        return HeaderField(name: name, value: value)
    }

    /// Whether a field's value may be shown; any other one may be a credential.
    static func isPlain(_ field: HeaderField) -> Bool {
        ["accept", "accept-language", "cache-control", "host", "origin", "referer", "user-agent", "via"].contains(
            field.name.lowercased()
        )
    }
}

/// Whether a text is an IPv4 or IPv6 address.
private func isNumericHost(_ host: String) -> Bool {
    var four = in_addr()
    var six = in6_addr()
    return unsafe inet_pton(AF_INET, host, &four) == 1 || inet_pton(AF_INET6, host, &six) == 1
}

extension ValueFormat where Value == CrossOrigin {
    /// `*`, an origin, or `off`.
    static var crossOrigin: ValueFormat {
        .scalar("\"*\", one origin such as https://www.example.com without a path, or off", parse: CrossOrigin.init) {
            $0 == .off ? .plain("off") : .quoted($0.text)
        }
    }
}
