/// Parsing the request line (RFC 9112 §3).
extension RequestParser {
    /// The longest method in bytes; the longest registered one has 17.
    private static let longestMethod = 32

    func parseRequestLine(_ bytes: Span<UInt8>, _ line: Range<Int>, _ head: inout RequestHead) throws(ParseError) {
        var index = line.lowerBound
        while index < line.upperBound, ByteClass.isToken(bytes[index]) { index += 1 }
        guard index > line.lowerBound else { throw .invalidMethod }
        guard index < line.upperBound, bytes[index] == 0x20 else { throw .invalidMethod }
        // RFC 9112 §3: longer than any known or forwarded method.
        guard index - line.lowerBound <= Self.longestMethod else { throw .methodTooLong }
        head.method = HTTPMethod(bytes, line.lowerBound..<index)

        let targetStart = index + 1
        index = targetStart
        while index < line.upperBound, ByteClass.isTarget(bytes[index]) { index += 1 }
        // Exactly one space: further white space would make the target ambiguous (RFC 9112 §3.2).
        guard index < line.upperBound, bytes[index] == 0x20 else {
            throw index < line.upperBound ? .invalidTarget : .malformedRequestLine
        }
        guard index > targetStart else { throw .malformedRequestLine }
        head.target = targetStart..<index
        try parseVersion(bytes, index + 1..<line.upperBound, &head)
        try parseTarget(bytes, &head)
    }

    /// `HTTP/` digit `.` digit, case-sensitive (RFC 9112 §2.3).
    private func parseVersion(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        _ head: inout RequestHead
    ) throws(ParseError) {
        let start = range.lowerBound
        guard range.count == 8, bytes.equals(start..<start + 5, "HTTP/"), ByteClass.isDigit(bytes[start + 5]),
            bytes[start + 6] == 0x2E, ByteClass.isDigit(bytes[start + 7])
        else {
            throw .invalidVersion
        }
        guard bytes[start + 5] == 0x31 else { throw .unsupportedVersion }
        // RFC 9110 §2.5: a higher minor version is treated as the highest known one.
        head.minorVersion = bytes[start + 7] == 0x30 ? 0 : 1
        head.keepAlive = head.minorVersion == 1
    }

    private func parseTarget(_ bytes: Span<UInt8>, _ head: inout RequestHead) throws(ParseError) {
        let target = head.target
        if head.method == .connect {
            // RFC 9112 §3.2.3: authority-form, only for CONNECT.
            guard isAuthority(bytes, target, needsPort: true) else { throw .invalidTarget }
            head.targetForm = .authority
            head.authority = target
            head.pathAndQuery = target.upperBound..<target.upperBound
        } else if bytes[target.lowerBound] == 0x2F {
            head.targetForm = .origin
            head.pathAndQuery = target
        } else if target.count == 1, bytes[target.lowerBound] == 0x2A {
            // RFC 9112 §3.2.4: asterisk-form, only for OPTIONS.
            guard head.method == .options else { throw .invalidTarget }
            head.targetForm = .asterisk
            head.pathAndQuery = target
        } else {
            try parseAbsoluteForm(bytes, &head)
        }
    }

    /// Parses `http://authority[/path][?query]` (RFC 9112 §3.2.2), whose authority overrides `Host`.
    private func parseAbsoluteForm(_ bytes: Span<UInt8>, _ head: inout RequestHead) throws(ParseError) {
        let target = head.target
        let start = target.lowerBound
        let hostStart: Int
        if target.count > 7, bytes.equalsIgnoringCase(start..<start + 7, "http://") {
            hostStart = start + 7
        } else if target.count > 8, bytes.equalsIgnoringCase(start..<start + 8, "https://") {
            hostStart = start + 8
        } else {
            throw .invalidTarget
        }
        try splitAuthority(bytes, hostStart, &head)
    }

    private func splitAuthority(
        _ bytes: Span<UInt8>,
        _ hostStart: Int,
        _ head: inout RequestHead
    ) throws(ParseError) {
        var index = hostStart
        let end = head.target.upperBound
        while index < end, bytes[index] != 0x2F, bytes[index] != 0x3F { index += 1 }
        guard isAuthority(bytes, hostStart..<index) else { throw .invalidTarget }
        head.targetForm = .absolute
        head.authority = hostStart..<index
        head.pathAndQuery = index..<end
    }
}
