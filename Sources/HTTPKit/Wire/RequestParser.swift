/// The result of parsing the bytes so far.
package enum ParseResult: Hashable, Sendable {
    /// The head is complete and takes this many bytes, including the empty line.
    case complete(consumed: Int)
    /// Valid so far, but incomplete.
    case needsMore
}

/// The progress of parsing a head over several reads.
package struct ParseProgress: Hashable, Sendable {
    /// The number of bytes already searched for line ends.
    var searched: UInt32 = 0
    /// The start of the first incomplete line.
    var lineStart: UInt32 = 0
    /// The start of the header section; 0 while the request line is incomplete.
    var fieldsStart: UInt32 = 0

    /// Creates the progress of a new head.
    package init() {}
}

/// A strict, bounds-checked parser for HTTP/1.x request heads (RFC 9112) that allocates nothing.
///
/// It works line by line, in order, once a line's LF has arrived, so the result does not depend on how reads split the bytes. A
/// value; safe on any thread.
///
/// Own code, as all of `Wire`: the server is built on plain sockets by decision, without a framework, and a memory hit may cost a
/// few microseconds in all. A C parser such as llhttp could replace this file if it refused everything that `RequestParserTests`
/// refuse and took no longer in `Benchmarks/hits.sh`.
package struct RequestParser: Sendable {
    let limits: ServerLimits
    let table = KnownFieldTable()

    /// Creates a parser with limits.
    package init(limits: ServerLimits = ServerLimits()) {
        self.limits = limits
    }

    /// Parses the head at the beginning of `bytes`.
    ///
    /// - Parameters:
    ///   - bytes: the received bytes of the request, from its first one.
    ///   - progress: new for the first call of a request, then as left by the previous call.
    ///   - head: filled in if the result is `complete`, otherwise unspecified.
    /// - Throws: `ParseError`; close the connection after responding.
    package func parse(
        _ bytes: Span<UInt8>,
        _ progress: inout ParseProgress,
        into head: inout RequestHead
    ) throws(ParseError) -> ParseResult {
        // Without a new LF no further line is complete: only the limits may have been exceeded.
        if progress.searched > 0, bytes.firstLineFeed(from: Int(progress.searched)) == nil {
            _ = try startOfRequestLine(bytes)
            return try incomplete(bytes, &progress)
        }
        head.reset()
        let start = try startOfRequestLine(bytes)
        guard let requestLineEnd = bytes.firstLineFeed(from: start) else {
            progress.lineStart = UInt32(start)
            return try incomplete(bytes, &progress)
        }
        try parseRequestLine(bytes, start..<(try lineEnd(bytes, start, requestLineEnd, .requestLineTooLong)), &head)
        let fieldsStart = requestLineEnd + 1
        var lineStart = fieldsStart
        while let feed = bytes.firstLineFeed(from: lineStart) {
            guard feed + 1 - fieldsStart <= limits.headerBlock else { throw .headerBlockTooLong }
            let end = try lineEnd(bytes, lineStart, feed, .headerBlockTooLong)
            if end == lineStart {
                try finish(head)
                return .complete(consumed: feed + 1)
            }
            guard head.fields.count < limits.fieldCount else { throw .tooManyFields }
            try parseField(bytes, lineStart..<end, &head)
            lineStart = feed + 1
        }
        progress.lineStart = UInt32(lineStart)
        progress.fieldsStart = UInt32(fieldsStart)
        return try incomplete(bytes, &progress)
    }

    /// Checks the limits on an incomplete head, so that clients cannot make the server wait for more than it accepts.
    private func incomplete(_ bytes: Span<UInt8>, _ progress: inout ParseProgress) throws(ParseError) -> ParseResult {
        progress.searched = UInt32(bytes.count)
        if progress.fieldsStart == 0 {
            // One extra byte may be the line's CR.
            let line = bytes.count - Int(progress.lineStart)
            let isOver =
                line > limits.requestLine + 1 || (line == limits.requestLine + 1 && bytes[bytes.count - 1] != 0x0D)
            if isOver { throw tooLongLine(bytes, from: Int(progress.lineStart)) }
        } else if bytes.count - Int(progress.fieldsStart) >= limits.headerBlock {
            throw .headerBlockTooLong
        }
        return .needsMore
    }

    /// The error for a request line over the limit: malformed if not even its method ends within the limit.
    private func tooLongLine(_ bytes: Span<UInt8>, from start: Int) -> ParseError {
        for index in start..<start + limits.requestLine where bytes[index] == 0x20 { return .requestLineTooLong }
        return .malformedRequestLine
    }

    /// The start of the request line, after an empty line, which is ignored (RFC 9112 §2.2).
    ///
    /// - Throws: `invalidMethod` for a first byte that no method has: it gives away a TLS client hello, say, so there is no need to
    ///   wait for more.
    private func startOfRequestLine(_ bytes: Span<UInt8>) throws(ParseError) -> Int {
        let start = bytes.count >= 2 && bytes[0] == 0x0D && bytes[1] == 0x0A ? 2 : 0
        if start < bytes.count, !ByteClass.isToken(bytes[start]), bytes[start] != 0x0D { throw .invalidMethod }
        return start
    }

    /// The end of the content of the line whose LF is at `feed`.
    private func lineEnd(
        _ bytes: Span<UInt8>,
        _ start: Int,
        _ feed: Int,
        _ tooLong: ParseError
    ) throws(ParseError) -> Int {
        let hasReturn = feed > start && bytes[feed - 1] == 0x0D
        let end = hasReturn ? feed - 1 : feed
        if tooLong == .requestLineTooLong, end - start > limits.requestLine { throw tooLongLine(bytes, from: start) }
        // RFC 9112 §2.2: accepting a bare LF is permitted, but enables request smuggling.
        guard hasReturn else { throw .bareLineFeed }
        return end
    }
}
