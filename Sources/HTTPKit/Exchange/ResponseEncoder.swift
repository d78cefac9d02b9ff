/// Encodes response heads (RFC 9112 §4): status line, `Date`, framing, `Connection`, then the response's own blocks.
///
/// Appends to a reused buffer, so it allocates nothing.
struct ResponseEncoder: Sendable {
    /// The properties of the request that affect the encoding.
    struct Options {
        /// Whether this responds to HEAD and so has no body, whatever its length (RFC 9110 §9.3.2).
        var isHEAD = false
        /// The minor version of the request.
        var minorVersion: UInt8 = 1
        /// Whether the connection stays open after this response.
        var keepsAlive = true
    }

    private let status = StatusText()
    private let contentLength = Array("Content-Length: ".utf8)
    private let close = Array("Connection: close\r\n".utf8)
    private let keepAlive = Array("Connection: keep-alive\r\n".utf8)
    private let age = Array("Age: ".utf8)
    private let chunked = Array("Transfer-Encoding: chunked\r\n".utf8)
    private let lineEnd = Array("\r\n".utf8)
    /// The interim response to `Expect: 100-continue`.
    let continueLine = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

    /// Whether a response with this status may have content (RFC 9110 §6.4.1).
    @inline(__always)
    static func allowsBody(_ status: UInt16) -> Bool { status >= 200 && status != 204 && status != 304 }

    /// Appends the head of `response` to `buffer`.
    ///
    /// - Returns: whether the body must follow.
    @inline(__always)
    func encode(
        _ response: borrowing Response,
        _ options: Options,
        date: [UInt8],
        into buffer: inout [UInt8]
    ) -> Bool {
        status.append(response.status, to: &buffer)
        if let own = response.date { Self.append(own, to: &buffer) } else { Self.append(date, to: &buffer) }
        let hasBody = Self.allowsBody(response.status)
        if hasBody, (response.contentLength ?? 0) >= 0 {
            if let length = response.contentLength ?? response.body.count {
                Self.append(contentLength, length, to: &buffer)
            } else if options.minorVersion > 0 {
                Self.append(chunked, to: &buffer)
            }
        } else if response.status == 304, let length = response.contentLength {
            // RFC 9110 §8.6: in a 304, the length of the corresponding 200; never in a 204.
            Self.append(contentLength, length, to: &buffer)
        }
        if !options.keepsAlive {
            Self.append(close, to: &buffer)
        } else if options.minorVersion == 0 {
            Self.append(keepAlive, to: &buffer)
        }
        if let seconds = response.age { Self.append(age, seconds, to: &buffer) }
        Self.append(response.fields, to: &buffer)
        Self.append(response.dynamicFields, to: &buffer)
        Self.append(lineEnd, to: &buffer)
        return hasBody && !options.isHEAD
    }

    /// Appends an interim response (RFC 9110 §15.2).
    ///
    /// - Parameter fields: encoded lines.
    func encode(interim code: UInt16, _ fields: borrowing [UInt8], into buffer: inout [UInt8]) {
        status.append(code, to: &buffer)
        Self.append(fields, to: &buffer)
        Self.append(lineEnd, to: &buffer)
    }

    /// Appends without retaining: blocks are shared by loops, and reference counts are contended writes.
    @inline(__always)
    static func append(_ bytes: borrowing [UInt8], to buffer: inout [UInt8]) {
        unsafe bytes.withUnsafeBufferPointer { unsafe buffer.append(contentsOf: $0) }
    }

    /// Appends a line of a name, with its colon, and a number, at least 0, in one piece: each call checks the buffer's ownership and room.
    private static func append(_ name: borrowing [UInt8], _ value: Int64, to buffer: inout [UInt8]) {
        var line: [22 of UInt8] = .init(repeating: 0)
        line[21] = 0x0A
        line[20] = 0x0D
        var place = 20
        var rest = UInt64(max(0, value))
        repeat {
            place -= 1
            let quotient = rest / 10
            line[place] = 0x30 + UInt8(truncatingIfNeeded: rest - quotient * 10)
            rest = quotient
        } while rest > 0
        append(name, to: &buffer)
        unsafe line.span.extracting(place..<22).withUnsafeBufferPointer { unsafe buffer.append(contentsOf: $0) }
    }
}
