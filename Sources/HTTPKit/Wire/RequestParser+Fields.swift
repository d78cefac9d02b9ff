/// The header section (RFC 9112 §5) and what follows from it for the message (§6, §9.3).
extension RequestParser {
    func parseField(_ bytes: Span<UInt8>, _ line: Range<Int>, _ head: inout RequestHead) throws(ParseError) {
        // RFC 9112 §5.2 and §2.2.
        if bytes[line.lowerBound] == 0x20 || bytes[line.lowerBound] == 0x09 { throw .obsoleteFolding }
        var colon = line.lowerBound
        while colon < line.upperBound, ByteClass.isToken(bytes[colon]) { colon += 1 }
        // RFC 9112 §5.1: white space between name and colon is refused, as is every other non-token byte.
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
            // RFC 9112 §3.2: exactly one, and valid; an empty one says that the target has no authority.
            guard !head.has(.host), isAuthority(bytes, value) else { throw .invalidHost }
            if head.authority == nil { head.authority = value }
        case .connection:
            applyConnection(value, bytes, &head)
        case .contentLength:
            try applyContentLength(value, bytes, &head)
        case .transferEncoding:
            try applyTransferEncoding(value, bytes, &head)
        case .expect:
            // RFC 9110 §10.1.1: ignored when it comes with HTTP/1.0.
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

    /// RFC 9112 §9.3: `close` wins over everything; `keep-alive` matters for HTTP/1.0 only.
    private func applyConnection(_ value: Range<Int>, _ bytes: Span<UInt8>, _ head: inout RequestHead) {
        var keeps = head.keepAlive
        var start = value.lowerBound
        while start < value.upperBound {
            var end = start
            while end < value.upperBound, bytes[end] != 0x2C { end += 1 }
            var token = start..<end
            while let first = token.first, bytes[first] == 0x20 || bytes[first] == 0x09 { token.removeFirst() }
            while let last = token.last, bytes[last] == 0x20 || bytes[last] == 0x09 { token.removeLast() }
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
        // RFC 9112 §6.1: both framings together are refused, in whichever order they come.
        if head.has(.transferEncoding) { throw .conflictingFraming }
        // RFC 9110 §8.6: 1*DIGIT, no sign, no list; 18 digits fit an Int.
        guard !value.isEmpty, value.count <= 18 else { throw .invalidContentLength }
        var length = 0
        for index in value {
            guard ByteClass.isDigit(bytes[index]) else { throw .invalidContentLength }
            length = length * 10 + Int(bytes[index] - 0x30)
        }
        // RFC 9112 §6.3: repeated lines are tolerated only when they agree.
        if head.has(.contentLength), head.framing != .length(length) { throw .invalidContentLength }
        head.framing = .length(length)
    }

    private func applyTransferEncoding(
        _ value: Range<Int>,
        _ bytes: Span<UInt8>,
        _ head: inout RequestHead
    ) throws(ParseError) {
        if head.has(.contentLength) { throw .conflictingFraming }
        // RFC 9112 §6.1: a transfer coding in HTTP/1.0 is faulty framing.
        guard head.minorVersion == 1, !head.has(.transferEncoding) else { throw .invalidTransferEncoding }
        if bytes.equalsIgnoringCase(value, "chunked") {
            head.framing = .chunked
            return
        }
        // RFC 9112 §6.3: the final coding must be chunked, else the length cannot be known; of the others none is understood.
        let tail = max(value.lowerBound, value.upperBound - 7)..<value.upperBound
        guard value.count > 8, bytes.equalsIgnoringCase(tail, "chunked") else { throw .invalidTransferEncoding }
        let before = bytes[tail.lowerBound - 1]
        guard before == 0x2C || before == 0x20 || before == 0x09 else { throw .invalidTransferEncoding }
        // A list like `chunked, chunked` or `gzip, chunked`.
        let isChunkedTwice =
            value.count >= 15 && bytes.equalsIgnoringCase(value.lowerBound..<value.lowerBound + 7, "chunked")
        throw isChunkedTwice ? .invalidTransferEncoding : .unsupportedTransferCoding
    }

    /// What can be judged only when all fields are known.
    func finish(_ bytes: Span<UInt8>, _ head: inout RequestHead) throws(ParseError) {
        // RFC 9112 §3.2: HTTP/1.1 needs a Host, whatever the target's form.
        if head.minorVersion == 1, !head.has(.host) { throw .missingHost }
    }
}
