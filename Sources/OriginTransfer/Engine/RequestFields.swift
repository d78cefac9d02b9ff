import HTTPSemantics

/// The header fields of a request to an origin, as lines for libcurl.
///
/// A value without I/O.
enum RequestFields {
    /// The fields that a source may not set: they belong to the connection (RFC 9110 §7.6.1), to the message's framing, or
    /// change what a 200 means.
    private static let reserved: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "proxy-authorization", "te", "trailer", "transfer-encoding",
        "upgrade", "content-length", "expect", "range", "if-range", "if-match", "if-none-match", "if-modified-since",
        "if-unmodified-since", "via", "cdn-loop",
    ]

    /// Puts the fields together; the source's replace the daemon's own.
    ///
    /// - Parameters:
    ///   - withSource: whether the source's fields may go to this host.
    ///   - credentials: fields that let the request in, where they may go to this host.
    static func lines(
        _ request: TransferRequest,
        withSource: Bool,
        credentials: [HeaderField] = [],
        userAgent: String,
        pseudonym: String
    ) -> [String] {
        var fields: [(name: String, value: String)] = [
            ("Accept", "image/*,*/*;q=0.8"),
            ("User-Agent", userAgent),
        ]
        if withSource {
            for field in request.options.headers where isAllowed(field) {
                fields.removeAll { $0.name.lowercased() == field.name.lowercased() && !isOwn(field.name) }
                fields.append((field.name, field.value))
            }
        }
        fields += credentials.map { ($0.name, $0.value) }
        fields += intermediaries(request.chain, pseudonym)
        if let traceparent = request.chain.traceparent { fields.append(("traceparent", traceparent)) }
        if let entityTag = request.entityTag { fields.append(("If-None-Match", entityTag)) }
        if let lastModified = request.lastModified { fields.append(("If-Modified-Since", lastModified)) }
        return fields.filter { isText($0.value) }.map(line)
    }

    /// The fields of a raw request: the client's, the source's in place of those, ours behind them; bytes, as they came.
    static func rawLines(
        _ exchange: TransferRequest.Exchange,
        chain: TransferRequest.Chain,
        headers: [HeaderField],
        credentials: [HeaderField],
        pseudonym: String
    ) -> [[UInt8]] {
        let own = headers.filter(isAllowed) + credentials
        var fields = exchange.fields
        fields.remove(own.map { $0.name.lowercased() })
        // `Name:` keeps libcurl from adding its own.
        var lines = ["accept", "user-agent", "content-type", "expect"].filter { name in
            !fields.contains(name) && !own.contains { $0.name.lowercased() == name }
        }.map { Array("\($0):".utf8) }
        for field in fields.lines {
            // `Name;` sends it empty.
            lines.append(Array(field.name.utf8) + (field.value.isEmpty ? [0x3B] : [0x3A, 0x20] + field.value))
        }
        lines += own.filter { isText($0.value) }.map { Array(line(($0.name, $0.value)).utf8) }
        lines += intermediaries(chain, pseudonym).filter { isText($0.value) }.map { Array(line($0).utf8) }
        return lines
    }

    /// An intermediary names itself behind those before it (RFC 9110 §7.6.3), also to recognise its own request (RFC 8586 §2).
    private static func intermediaries(
        _ chain: TransferRequest.Chain,
        _ pseudonym: String
    ) -> [(name: String, value: String)] {
        [
            ("Via", (chain.via.map { "\($0), " } ?? "") + "1.1 \(pseudonym)"),
            ("CDN-Loop", (chain.cdnLoop.map { "\($0), " } ?? "") + pseudonym),
        ]
    }

    /// Whether a field of that name was set by the source before, and so may repeat.
    private static func isOwn(_ name: String) -> Bool {
        !["accept", "user-agent"].contains(name.lowercased())
    }

    private static func isAllowed(_ field: HeaderField) -> Bool {
        isToken(field.name) && !reserved.contains(field.name.lowercased())
    }

    /// CURLOPT_HTTPHEADER: `Name:` would take the field out, `Name;` sends it empty.
    private static func line(_ field: (name: String, value: String)) -> String {
        field.value.allSatisfy { $0 == " " } ? "\(field.name);" : "\(field.name): \(field.value)"
    }

    /// RFC 9110 §5.5: no line ends and no NUL, which would begin another field.
    private static func isText(_ value: String) -> Bool {
        value.utf8.allSatisfy { $0 >= 32 && $0 != 127 || $0 == 9 }
    }

    /// A token (RFC 9110 §5.6.2).
    private static func isToken(_ name: String) -> Bool {
        !name.isEmpty
            && name.utf8.allSatisfy {
                switch $0 {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                default: "!#$%&'*+-.^_`|~".utf8.contains($0)
                }
            }
    }
}
