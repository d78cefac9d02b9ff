/// Parsing the header section (RFC 9112 §5) and its meaning for the message (§6, §9.3).
extension RequestParser {
    func parseField(_ bytes: Span<UInt8>, _ line: Range<Int>, _ head: inout RequestHead) throws(ParseError) {
        // RFC 9112 §5.2 and §2.2.
        if bytes[line.lowerBound] == 0x20 || bytes[line.lowerBound] == 0x09 { throw .obsoleteFolding }
        var colon = line.lowerBound
        while colon < line.upperBound, ByteClass.isToken(bytes[colon]) { colon += 1 }
        // RFC 9112 §5.1: white space between name and colon is rejected, like any other non-token byte.
        guard colon < line.upperBound, bytes[colon] == 0x3A, colon > line.lowerBound else { throw .invalidFieldName }

        var start = colon + 1
        var end = line.upperBound
        while start < end, bytes[start] == 0x20 || bytes[start] == 0x09 { start += 1 }
        while end > start, bytes[end - 1] == 0x20 || bytes[end - 1] == 0x09 { end -= 1 }
        guard bytes.isFieldValue(start..<end) else { throw .invalidFieldValue }

        let known = table.find(bytes, line.lowerBound..<colon)
        let field = RequestHead.Field(
            nameStart: UInt32(line.lowerBound),
            nameEnd: UInt32(colon),
            valueStart: UInt32(start),
            valueEnd: UInt32(end),
            known: known
        )
        if let known, known.rawValue <= KnownField.expect.rawValue {
            try apply(known, start..<end, bytes, &head)
        }
        head.append(field)
    }

    private func apply(
        _ field: KnownField,
        _ value: Range<Int>,
        _ bytes: Span<UInt8>,
        _ head: inout RequestHead
    ) throws(ParseError) {
        switch field {
        case .host:
            // RFC 9112 §3.2: exactly one, and valid. An empty one would mean that the target has no authority (RFC 9110
            // §7.2), which every http URI has.
            guard !head.has(.host), isAuthority(bytes, value) else { throw .invalidHost }
            if head.authority == nil { head.authority = value }
        case .connection:
            applyConnection(value, bytes, &head)
        case .contentLength:
            try applyContentLength(value, bytes, &head)
        case .transferEncoding:
            try applyTransferEncoding(value, bytes, &head)
        case .expect:
            // RFC 9110 §10.1.1: ignored in HTTP/1.0.
            guard head.minorVersion == 1 else { return }
            if bytes.equalsIgnoringCase(value, "100-continue") {
                head.expectsContinue = true
            } else {
                head.hasUnknownExpectation = true
            }
        default:
            break
        }
    }

    /// RFC 9112 §9.3: `close` overrides everything; `keep-alive` only matters in HTTP/1.0.
    private func applyConnection(_ value: Range<Int>, _ bytes: Span<UInt8>, _ head: inout RequestHead) {
        var keeps = head.keepAlive
        var start = value.lowerBound
        while start < value.upperBound {
            var end = start
            while end < value.upperBound, bytes[end] != 0x2C { end += 1 }
            let token = trimmed(start..<end, bytes)
            if bytes.equalsIgnoringCase(token, "close") { head.closes = true }
            if bytes.equalsIgnoringCase(token, "keep-alive") { keeps = true }
            start = end + 1
        }
        head.keepAlive = keeps && !head.closes
    }

    private func applyContentLength(
        _ value: Range<Int>,
        _ bytes: Span<UInt8>,
        _ head: inout RequestHead
    ) throws(ParseError) {
        // RFC 9112 §6.1: both framings together are rejected, in either order.
        if head.has(.transferEncoding) { throw .conflictingFraming }
        // RFC 9110 §8.6: 1*DIGIT, no sign, no list; 18 digits fit an Int.
        guard !value.isEmpty, value.count <= 18 else { throw .invalidContentLength }
        var length = 0
        for index in value {
            guard ByteClass.isDigit(bytes[index]) else { throw .invalidContentLength }
            length = length * 10 + Int(bytes[index] - 0x30)
        }
        // RFC 9112 §6.3: repeated lines are accepted only if they agree.
        if head.has(.contentLength), head.framing != .length(length) { throw .invalidContentLength }
        head.framing = .length(length)
    }

    private func applyTransferEncoding(
        _ value: Range<Int>,
        _ bytes: Span<UInt8>,
        _ head: inout RequestHead
    ) throws(ParseError) {
        if head.has(.contentLength) { throw .conflictingFraming }
        // RFC 9112 §6.1: a transfer coding in HTTP/1.0 means faulty framing.
        guard head.minorVersion == 1, !head.has(.transferEncoding) else { throw .invalidTransferEncoding }
        if bytes.equalsIgnoringCase(value, "chunked") {
            head.framing = .chunked
            return
        }
        throw refusal(ofCodings: value, bytes)
    }

    /// The error for a list of transfer codings other than `chunked` alone.
    ///
    /// RFC 9112 §6.3: the final coding must be chunked, or the length is unknown; no other coding is supported. RFC 9110 §5.6.1
    /// ignores empty elements, but servers differ, so they are rejected.
    private func refusal(ofCodings value: Range<Int>, _ bytes: Span<UInt8>) -> ParseError {
        var start = value.lowerBound
        var isLastChunked = false
        while start <= value.upperBound {
            var end = start
            while end < value.upperBound, bytes[end] != 0x2C { end += 1 }
            let coding = trimmed(start..<end, bytes)
            // Chunked must be applied once, and last (RFC 9112 §7.1).
            guard !isLastChunked, isCoding(coding, bytes) else { return .invalidTransferEncoding }
            isLastChunked = bytes.equalsIgnoringCase(coding, "chunked")
            start = end + 1
        }
        return isLastChunked ? .unsupportedTransferCoding : .invalidTransferEncoding
    }

    /// Whether a range is a coding name, optionally with parameters (RFC 9112 §7).
    private func isCoding(_ range: Range<Int>, _ bytes: Span<UInt8>) -> Bool {
        var index = range.lowerBound
        while index < range.upperBound, ByteClass.isToken(bytes[index]) { index += 1 }
        guard index > range.lowerBound else { return false }
        let rest = trimmed(index..<range.upperBound, bytes)
        return rest.isEmpty || bytes[rest.lowerBound] == 0x3B
    }

    private func trimmed(_ range: Range<Int>, _ bytes: Span<UInt8>) -> Range<Int> {
        var range = range
        while let first = range.first, bytes[first] == 0x20 || bytes[first] == 0x09 { range.removeFirst() }
        while let last = range.last, bytes[last] == 0x20 || bytes[last] == 0x09 { range.removeLast() }
        return range
    }

    /// Checks what depends on all fields.
    func finish(_ head: borrowing RequestHead) throws(ParseError) {
        // RFC 9112 §3.2: HTTP/1.1 requires Host, whatever the form of the target.
        if head.minorVersion == 1, !head.has(.host) { throw .missingHost }
    }
}
