/// Decodes request content by length or by chunks (RFC 9112 §6, §7.1), up to a limit.
///
/// The result does not depend on how reads split the bytes. Trailers are checked and dropped.
package struct BodyDecoder {
    private enum State: Sendable {
        case length(left: Int)
        case chunkSize(value: Int, digits: Int)
        case chunkExtension(value: Int, ChunkExtension)
        case chunkSizeEnd(value: Int)
        case chunkData(left: Int)
        case chunkDataReturn
        case chunkDataFeed
        case trailerStart
        case trailerName
        case trailerValue
        case trailerFeed
        case endFeed
        case done
    }

    private var state: State
    private let limit: Int
    private var overhead = 0
    /// The content decoded so far; empty if a sink takes it.
    package private(set) var content: [UInt8] = []
    /// The bytes of content decoded so far.
    private var count = 0
    /// Takes the content as it is decoded; `nil` to collect it in `content`.
    package let sink: (any RequestBodySink)?

    /// Creates a decoder for the content after a head.
    ///
    /// - Throws: `bodyTooLong` if the announced length exceeds the limit.
    package init(
        _ framing: RequestHead.Framing,
        limit: Int,
        sink: (any RequestBodySink)? = nil
    ) throws(ParseError) {
        self.limit = limit
        self.sink = sink
        switch framing {
        case .none: state = .done
        case .length(let length):
            guard length <= limit else { throw .bodyTooLong }
            state = length == 0 ? .done : .length(left: length)
        case .chunked: state = .chunkSize(value: 0, digits: 0)
        }
    }

    /// Whether the content is complete.
    package var isComplete: Bool { if case .done = state { true } else { false } }

    /// Decodes bytes from `start` on.
    ///
    /// - Returns: the index after the last byte consumed; bytes after a complete body are left.
    /// - Throws: `ParseError` for malformed chunks and content over the limit.
    package mutating func take(_ bytes: Span<UInt8>, from start: Int) throws(ParseError) -> Int {
        var index = start
        while index < bytes.count {
            switch state {
            case .done:
                return index
            case .length(let left):
                let count = append(bytes, index, left)
                index += count
                state = count == left ? .done : .length(left: left - count)
            case .chunkData(let left):
                let count = append(bytes, index, left)
                index += count
                state = count == left ? .chunkDataReturn : .chunkData(left: left - count)
            default:
                try takeSyntax(bytes[index])
                index += 1
            }
        }
        return index
    }

    private mutating func append(_ bytes: Span<UInt8>, _ index: Int, _ left: Int) -> Int {
        let count = min(left, bytes.count - index)
        self.count += count
        let part = bytes.extracting(index..<index + count)
        if let sink {
            unsafe part.withUnsafeBytes { unsafe sink.append($0) }
        } else {
            unsafe part.withUnsafeBufferPointer { unsafe content.append(contentsOf: $0) }
        }
        return count
    }

    private mutating func takeSyntax(_ byte: UInt8) throws(ParseError) {
        // Extensions and trailers are ignored but limited, so that they cannot be used to stall. A chunk of one byte has five bytes
        // of overhead.
        overhead += 1
        guard overhead <= 16 * 1024 + 8 * count else { throw .invalidChunk }
        switch state {
        case .chunkSize(let value, let digits): try takeSize(byte, value, digits)
        case .chunkExtension(let value, var place):
            if byte == 0x0D {
                try expect(place.mayEnd)
                state = .chunkSizeEnd(value: value)
            } else {
                try expect(place.take(byte))
                state = .chunkExtension(value: value, place)
            }
        case .chunkSizeEnd(let value):
            try expect(byte == 0x0A)
            state = value == 0 ? .trailerStart : .chunkData(left: value)
        case .chunkDataReturn:
            try expect(byte == 0x0D)
            state = .chunkDataFeed
        case .chunkDataFeed:
            try expect(byte == 0x0A)
            state = .chunkSize(value: 0, digits: 0)
        default: try takeTrailer(byte)
        }
    }

    /// RFC 9112 §7.1: 1*HEXDIG, optional extensions, CRLF; a bare LF is rejected.
    private mutating func takeSize(_ byte: UInt8, _ value: Int, _ digits: Int) throws(ParseError) {
        if let digit = ByteClass.hexValue(byte) {
            try expect(digits < 15)
            let size = value << 4 | digit
            guard size <= limit - count else { throw .bodyTooLong }
            state = .chunkSize(value: size, digits: digits + 1)
            return
        }
        try expect(digits > 0)
        switch byte {
        case 0x0D: state = .chunkSizeEnd(value: value)
        case 0x3B: state = .chunkExtension(value: value, .beforeName)
        case 0x20, 0x09: state = .chunkExtension(value: value, .between)
        default: throw .invalidChunk
        }
    }

    /// RFC 9112 §7.1.2: field lines up to an empty one.
    private mutating func takeTrailer(_ byte: UInt8) throws(ParseError) {
        switch state {
        case .trailerStart:
            if byte == 0x0D {
                state = .endFeed
            } else {
                try expect(ByteClass.isToken(byte))
                state = .trailerName
            }
        case .trailerName:
            if byte == 0x3A { state = .trailerValue } else { try expect(ByteClass.isToken(byte)) }
        case .trailerValue:
            if byte == 0x0D { state = .trailerFeed } else { try expect(ByteClass.isValue(byte)) }
        case .trailerFeed:
            try expect(byte == 0x0A)
            state = .trailerStart
        default:
            try expect(byte == 0x0A)
            state = .done
        }
    }

    private func expect(_ condition: Bool) throws(ParseError) {
        if !condition { throw .invalidChunk }
    }
}
