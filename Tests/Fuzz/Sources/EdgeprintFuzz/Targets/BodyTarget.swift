import HTTPKit

/// The decoder of request content.
enum BodyTarget: FuzzTarget {
    static let name = "body"

    static let seeds: [[UInt8]] = [
        "05\r\nhello\r\n0\r\n\r\n", "05;name=\"a b\";x\r\nhello\r\n00\r\nTrailer: x\r\nOther: y\r\n\r\nGET",
        "15hello world",
        "0A ; a = b\r\n0123456789\r\n0\r\n\r\n",
    ].map { Array($0.utf8) }

    static let dictionary = ["\r\n", "0\r\n\r\n", ";", "=", "\"", "\\\"", "ffffffffffffff", ": "]

    static func run(_ bytes: [UInt8]) {
        guard let first = bytes.first else { return }
        let framing: RequestHead.Framing = first & 1 == 0 ? .chunked : .length(Int(first >> 1))
        let content = Array(bytes.dropFirst())
        let whole = outcome(framing, content, every: content.count)
        for size in [1, 3, 8] { expectEqual(outcome(framing, content, every: size), whole, "read by \(size)") }
    }

    /// The decoded content and the number of bytes that it took; `nil` if it is refused.
    private struct Outcome: Hashable {
        var content: [UInt8]
        var consumed: Int
        var isComplete: Bool
    }

    private static func outcome(_ framing: RequestHead.Framing, _ bytes: [UInt8], every size: Int) -> Outcome? {
        guard var decoder = try? BodyDecoder(framing, limit: 64) else { return nil }
        var position = 0
        while position < bytes.count, !decoder.isComplete {
            let end = min(bytes.count, position + max(1, size))
            guard let next = try? decoder.take(bytes.span.extracting(first: end), from: position) else { return nil }
            expect(next > position && (next == end || decoder.isComplete), "stopped at \(next) of \(end)")
            position = next
        }
        expect(decoder.content.count <= 64, "more than the limit")
        return Outcome(content: decoder.content, consumed: position, isComplete: decoder.isComplete)
    }
}
