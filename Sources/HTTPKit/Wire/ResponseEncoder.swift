/// Writes response heads (RFC 9112 §4): status line, `Date`, framing, `Connection`, then the response's own blocks.
///
/// Pure: it knows no socket. It appends to a buffer that is used again and again, so nothing is allocated.
struct ResponseEncoder: Sendable {
    /// What the request has to do with how its answer is written.
    struct Circumstances {
        /// The answer to a HEAD request has no body, whatever its length says (RFC 9110 §9.3.2).
        var isHEAD = false
        /// The minor version of the request.
        var minorVersion: UInt8 = 1
        /// Whether the connection stays open after this answer.
        var keepsAlive = true
    }

    private let status = StatusText()
    private let contentLength = Array("Content-Length: ".utf8)
    private let close = Array("Connection: close\r\n".utf8)
    private let keepAlive = Array("Connection: keep-alive\r\n".utf8)
    private let age = Array("Age: ".utf8)
    private let lineEnd = Array("\r\n".utf8)
    /// The interim answer to `Expect: 100-continue`.
    let continueLine = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

    /// Whether a status can have content (RFC 9110 §6.4.1).
    @inline(__always)
    static func allowsBody(_ status: UInt16) -> Bool { status >= 200 && status != 204 && status != 304 }

    /// Appends the head of `response` to `buffer`.
    ///
    /// - Returns: whether the body is to follow.
    @inline(__always)
    func encode(
        _ response: borrowing Response,
        _ circumstances: Circumstances,
        date: [UInt8],
        into buffer: inout [UInt8]
    ) -> Bool {
        buffer.append(contentsOf: status[response.status])
        buffer.append(contentsOf: date)
        let hasBody = Self.allowsBody(response.status)
        if hasBody {
            buffer.append(contentsOf: contentLength)
            Self.append(decimal: response.contentLength ?? response.body.count, to: &buffer)
            buffer.append(contentsOf: lineEnd)
        } else if response.status == 304, let length = response.contentLength {
            // RFC 9110 §8.6: in a 304, the length that a 200 would have had; never in a 204.
            buffer.append(contentsOf: contentLength)
            Self.append(decimal: length, to: &buffer)
            buffer.append(contentsOf: lineEnd)
        }
        if !circumstances.keepsAlive {
            buffer.append(contentsOf: close)
        } else if circumstances.minorVersion == 0 {
            buffer.append(contentsOf: keepAlive)
        }
        if let seconds = response.age {
            buffer.append(contentsOf: age)
            Self.append(decimal: max(0, seconds), to: &buffer)
            buffer.append(contentsOf: lineEnd)
        }
        buffer.append(contentsOf: response.fields)
        buffer.append(contentsOf: response.dynamicFields)
        buffer.append(contentsOf: lineEnd)
        return hasBody && !circumstances.isHEAD
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
