import HTTPSemantics

/// Builds the header fields of requests to origins, as lines for libcurl; performs no I/O.
enum RequestFields {
    /// The fields that a source may not set, because they concern the connection (RFC 9110 §7.6.1) or the message's framing, or
    /// change the meaning of a 200.
    private static let reserved: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "proxy-authorization", "te", "trailer", "transfer-encoding",
        "upgrade", "content-length", "expect", "range", "if-range", "if-match", "if-none-match", "if-modified-since",
        "if-unmodified-since", "via", "cdn-loop",
    ]

    /// Returns the fields of a GET; the source's fields replace the daemon's.
    ///
    /// - Parameters:
    ///   - withSource: whether this host may receive the source's fields.
    ///   - range: fields that request the rest of a body, instead of conditions.
    ///   - credentials: authenticating fields, if this host may receive them.
    static func lines(
        _ request: TransferRequest,
        withSource: Bool,
        range: [(name: String, value: String)] = [],
        credentials: [HeaderField] = [],
        userAgent: String,
        pseudonym: String
    ) -> [String] {
        var fields: [(name: String, value: String)] = [
            ("Accept", request.accept ?? "image/*,*/*;q=0.8"),
            ("User-Agent", userAgent),
        ]
        if withSource {
            for field in request.options.headers where isAllowed(field) {
                fields.removeAll { $0.name.lowercased() == field.name.lowercased() && !isOwn(field.name) }
                fields.append((field.name, field.value))
            }
        }
        if withSource, let cookie = request.cookie { fields.append(("Cookie", cookie)) }
        fields += credentials.map { ($0.name, $0.value) }
        fields += intermediaries(request.caller, pseudonym)
        if let traceparent = request.caller.traceparent { fields.append(("traceparent", traceparent)) }
        if let tracestate = request.caller.tracestate { fields.append(("tracestate", tracestate)) }
        if let entityTag = request.entityTag, range.isEmpty { fields.append(("If-None-Match", entityTag)) }
        if let date = request.lastModified, range.isEmpty { fields.append(("If-Modified-Since", date)) }
        fields += range
        return fields.filter { isText($0.value) }.map(line)
    }

    /// Returns the fields of a raw request as bytes: the client's, replaced by the source's, followed by the daemon's.
    static func rawLines(
        _ exchange: TransferRequest.Exchange,
        caller: OriginCaller,
        headers: [HeaderField],
        credentials: [HeaderField],
        pseudonym: String
    ) -> [[UInt8]] {
        let own = headers.filter(isAllowed) + credentials
        var fields = exchange.fields
        fields.remove(own.map { $0.name.lowercased() })
        // `Name:` keeps libcurl from adding the field itself.
        var lines = ["accept", "user-agent", "content-type", "expect"].filter { name in
            !fields.contains(name) && !own.contains { $0.name.lowercased() == name }
        }.map { Array("\($0):".utf8) }
        for field in fields.lines {
            // `Name;` sends an empty field.
            lines.append(Array(field.name.utf8) + (field.value.isEmpty ? [0x3B] : [0x3A, 0x20] + field.value))
        }
        lines += own.filter { isText($0.value) }.map { Array(line(($0.name, $0.value)).utf8) }
        lines += intermediaries(caller, pseudonym).filter { isText($0.value) }.map { Array(line($0).utf8) }
        return lines
    }

    /// `Via` and `CDN-Loop` with the daemon's name appended (RFC 9110 §7.6.3), which detects loops (RFC 8586 §2).
    private static func intermediaries(
        _ caller: OriginCaller,
        _ pseudonym: String
    ) -> [(name: String, value: String)] {
        guard !pseudonym.isEmpty else {
            return [("Via", caller.via), ("CDN-Loop", caller.cdnLoop)].compactMap { name, value in
                value.map { (name, $0) }
            }
        }
        return [
            ("Via", (caller.via.map { "\($0), " } ?? "") + "1.1 \(pseudonym)"),
            ("CDN-Loop", (caller.cdnLoop.map { "\($0), " } ?? "") + pseudonym),
        ]
    }

    /// Whether earlier fields of that name come from the source and may therefore repeat.
    private static func isOwn(_ name: String) -> Bool {
        !["accept", "user-agent"].contains(name.lowercased())
    }

    private static func isAllowed(_ field: HeaderField) -> Bool {
        FieldSyntax.isToken(field.name) && !reserved.contains(field.name.lowercased())
    }

    /// Formats a line for `CURLOPT_HTTPHEADER`, where `Name:` would remove the field and `Name;` sends it empty.
    private static func line(_ field: (name: String, value: String)) -> String {
        field.value.allSatisfy { $0 == " " } ? "\(field.name);" : "\(field.name): \(field.value)"
    }

    /// Whether a value contains no control characters except tabs, so that it cannot inject fields (RFC 9110 §5.5).
    private static func isText(_ value: String) -> Bool {
        value.utf8.allSatisfy { $0 >= 32 && $0 != 127 || $0 == 9 }
    }
}
