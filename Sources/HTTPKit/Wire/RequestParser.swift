/// What the parser made of the bytes so far.
package enum ParseResult: Hashable, Sendable {
    /// The head is complete; it takes this many bytes, empty line included.
    case complete(consumed: Int)
    /// Everything so far is right, but the head is not complete.
    case needsMore
}

/// What one connection's parser remembers between two reads of the same head.
package struct ParseProgress: Hashable, Sendable {
    /// How many bytes have been searched for line ends: those are not searched again.
    var searched: UInt32 = 0
    /// Where the first incomplete line begins.
    var lineStart: UInt32 = 0
    /// Where the header section begins; 0 while the request line is incomplete.
    var fieldsStart: UInt32 = 0

    /// Creates the progress of a head of which nothing has been seen.
    package init() {}
}

/// A strict parser for HTTP/1.x request heads (RFC 9112), bounds-checked, without allocation.
///
/// It works by lines: a line is judged when its LF has come, and in order, so however the bytes are split over reads,
/// the answer is the same. A value; safe on any thread.
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
    ///   - bytes: everything of the request that has arrived, from its first byte.
    ///   - progress: empty for the first call of a request, then what the call before left.
    ///   - head: filled when the result is `complete`, else in an unspecified state.
    /// - Throws: `ParseError`; the connection is to be closed after the answer.
    package func parse(
        _ bytes: Span<UInt8>,
        _ progress: inout ParseProgress,
        into head: inout RequestHead
    ) throws(ParseError) -> ParseResult {
        // Without a new LF no further line is complete: only the limits can have been passed.
        if progress.searched > 0, bytes.firstLineFeed(from: Int(progress.searched)) == nil {
            return try incomplete(bytes, &progress)
        }
        head.reset()
        let start = skippedEmptyLine(bytes)
        // A TLS client's hello, say, is known for what it is by its first byte, and need not be waited for.
        if start < bytes.count, !ByteClass.isToken(bytes[start]), bytes[start] != 0x0D { throw .invalidMethod }
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
                try finish(bytes, &head)
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

    /// Checks the limits on an incomplete head, so that a client cannot make us wait for more than we would take.
    private func incomplete(_ bytes: Span<UInt8>, _ progress: inout ParseProgress) throws(ParseError) -> ParseResult {
        progress.searched = UInt32(bytes.count)
        if progress.fieldsStart == 0 {
            // One more byte may be the line's CR.
            let line = bytes.count - Int(progress.lineStart)
            let isOver =
                line > limits.requestLine + 1 || (line == limits.requestLine + 1 && bytes[bytes.count - 1] != 0x0D)
            if isOver { throw tooLongLine(bytes, from: Int(progress.lineStart)) }
        } else if bytes.count - Int(progress.fieldsStart) >= limits.headerBlock {
            throw .headerBlockTooLong
        }
        return .needsMore
    }

    /// What a request line over the limit is: one whose method does not even end within it is none.
    private func tooLongLine(_ bytes: Span<UInt8>, from start: Int) -> ParseError {
        for index in start..<start + limits.requestLine where bytes[index] == 0x20 { return .requestLineTooLong }
        return .malformedRequestLine
    }

    /// One CRLF before a request is ignored (RFC 9112 §2.2).
    private func skippedEmptyLine(_ bytes: Span<UInt8>) -> Int {
        bytes.count >= 2 && bytes[0] == 0x0D && bytes[1] == 0x0A ? 2 : 0
    }

    /// Where the content of the line that ends with the LF at `feed` ends.
    private func lineEnd(
        _ bytes: Span<UInt8>,
        _ start: Int,
        _ feed: Int,
        _ tooLong: ParseError
    ) throws(ParseError) -> Int {
        let hasReturn = feed > start && bytes[feed - 1] == 0x0D
        let end = hasReturn ? feed - 1 : feed
        if tooLong == .requestLineTooLong, end - start > limits.requestLine { throw tooLongLine(bytes, from: start) }
        // RFC 9112 §2.2: a bare LF may be taken as a line end; taking it is how requests are smuggled.
        guard hasReturn else { throw .bareLineFeed }
        return end
    }
}
