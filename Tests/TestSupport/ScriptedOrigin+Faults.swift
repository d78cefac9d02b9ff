/// Responses that support ranges, and faults that spoil them.
extension ScriptedConnection {
    /// The bytes of a response with `Content-Length`.
    package static func message(
        _ status: String = "200 OK",
        _ fields: [String] = [],
        body: [UInt8]
    ) -> [UInt8] {
        let lines = ["HTTP/1.1 \(status)"] + fields + ["Content-Length: \(body.count)", "", ""]
        return Array(lines.joined(separator: "\r\n").utf8) + body
    }

    /// Responds with a representation, or with the rest of it if the request asks for that with its entity tag.
    ///
    /// - Parameters:
    ///   - tag: the representation's entity tag.
    ///   - fields: further lines without line ends.
    ///   - count: the number of bytes, head included, after which the connection is closed; `nil` to send everything.
    package func serve(
        _ body: [UInt8],
        to request: ScriptedRequest,
        tag: String = "\"v1\"",
        _ fields: [String] = [],
        cutAfter count: Int? = nil
    ) {
        var bytes = Self.message("200 OK", ["ETag: \(tag)"] + fields, body: body)
        if let first = request.firstByte, first < body.count, request.field("If-Range") == tag {
            bytes = Self.message(
                "206 Partial Content",
                ["ETag: \(tag)", "Content-Range: bytes \(first)-\(body.count - 1)/\(body.count)"] + fields,
                body: Array(body[first...])
            )
        }
        guard let count, count < bytes.count else {
            send(bytes)
            return
        }
        send(Array(bytes[..<count]))
        close()
    }

    /// Writes one byte at a time, until all are sent or the peer has gone.
    ///
    /// - Parameters:
    ///   - milliseconds: the time between two bytes.
    ///   - gate: a gate that stays closed; opening it sends the rest without pauses.
    package func trickle(_ bytes: [UInt8], every milliseconds: Int, until gate: ScriptedGate) {
        for byte in bytes {
            guard send([byte]) else { return }
            gate.wait(milliseconds: milliseconds)
        }
    }
}

extension ScriptedRequest {
    /// The offset of an open range, as in `bytes=100-`.
    package var firstByte: Int? {
        guard let text = field("Range"), text.hasPrefix("bytes="), text.hasSuffix("-") else { return nil }
        return Int(text.dropFirst("bytes=".count).dropLast())
    }
}
