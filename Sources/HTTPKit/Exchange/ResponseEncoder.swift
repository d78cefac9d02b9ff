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
                Self.append(contentLength, to: &buffer)
                Self.append(decimal: length, to: &buffer)
                Self.append(lineEnd, to: &buffer)
            } else if options.minorVersion > 0 {
                Self.append(chunked, to: &buffer)
            }
        } else if response.status == 304, let length = response.contentLength {
            // RFC 9110 §8.6: in a 304, the length of the corresponding 200; never in a 204.
            Self.append(contentLength, to: &buffer)
            Self.append(decimal: length, to: &buffer)
            Self.append(lineEnd, to: &buffer)
        }
        if !options.keepsAlive {
            Self.append(close, to: &buffer)
        } else if options.minorVersion == 0 {
            Self.append(keepAlive, to: &buffer)
        }
        if let seconds = response.age {
            Self.append(age, to: &buffer)
            Self.append(decimal: max(0, seconds), to: &buffer)
            Self.append(lineEnd, to: &buffer)
        }
        Self.append(response.fields, to: &buffer)
        Self.append(response.dynamicFields, to: &buffer)
        Self.append(lineEnd, to: &buffer)
        return hasBody && !options.isHEAD
    }

    /// Appends without retaining: blocks are shared by loops, and reference counts are contended writes.
    @inline(__always)
    static func append(_ bytes: borrowing [UInt8], to buffer: inout [UInt8]) {
        unsafe bytes.withUnsafeBufferPointer { unsafe buffer.append(contentsOf: $0) }
    }

    private static func append(decimal value: Int64, to buffer: inout [UInt8]) {
        var digits: [20 of UInt8] = .init(repeating: 0)
        var place = 20
        var rest = UInt64(max(0, value))
        repeat {
            place -= 1
            digits[place] = 0x30 + UInt8(rest % 10)
            rest /= 10
        } while rest > 0
        for index in place..<20 { buffer.append(digits[index]) }
    }
}
