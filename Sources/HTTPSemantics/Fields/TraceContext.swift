/// The trace context of a request (W3C Trace Context, `traceparent`), whose id appears in logs, in errors and at the origin.
package struct TraceContext: Hashable, Sendable {
    /// The first and last eight bytes of the trace id; never both 0.
    package let high: UInt64
    package let low: UInt64
    /// The trace flags: `sampled`, and whatever later versions define.
    package private(set) var flags: UInt8
    /// Whether the context came with the request; otherwise it was created here.
    package let isFromCaller: Bool
    /// The id of the caller's span; 0 if the context was created here.
    package let parent: UInt64
    /// The id of this server's span of the request; 0 if none is recorded.
    package private(set) var span: UInt64 = 0

    /// Creates the context of a request without one.
    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = high == 0 && low == 0 ? 1 : low
        flags = 0
        isFromCaller = false
        parent = 0
    }

    /// Parses a field value; `nil` if it is invalid.
    ///
    /// From later versions, only the parts of version 00 are read (§3.2.2.3).
    package init?(_ bytes: Span<UInt8>) {
        guard bytes.count >= 55, bytes[2] == 0x2D, bytes[35] == 0x2D, bytes[52] == 0x2D,
            let version = Self.number(bytes, 0..<2), version != 0xFF,
            let high = Self.number(bytes, 3..<19), let low = Self.number(bytes, 19..<35), high != 0 || low != 0,
            let parent = Self.number(bytes, 36..<52), parent != 0, let flags = Self.number(bytes, 53..<55)
        else { return nil }
        guard bytes.count == 55 || (version > 0 && bytes[55] == 0x2D) else { return nil }
        self.high = high
        self.low = low
        self.flags = UInt8(truncatingIfNeeded: flags)
        self.parent = parent
        isFromCaller = true
    }

    /// Whether this server records a span of the request.
    package var isRecorded: Bool { span != 0 }

    /// Records the sampling decision, which replaces the caller's in the `sampled` flag.
    ///
    /// - Parameter span: the id of this server's span; 0 if none is recorded.
    package mutating func decide(span: UInt64) {
        self.span = span
        flags = span == 0 ? flags & ~1 : flags | 1
    }

    /// The trace id as 32 lower-case hexadecimal digits.
    package var id: String {
        var line: [UInt8] = []
        appendID(to: &line)
        return String(decoding: line, as: UTF8.self)
    }

    /// Appends the id's digits.
    package func appendID(to line: inout [UInt8]) {
        Self.append(high, to: &line)
        Self.append(low, to: &line)
    }

    /// The id of a span as 16 lower-case hexadecimal digits.
    package static func text(ofSpan id: UInt64) -> String {
        var line: [UInt8] = []
        append(id, to: &line)
        return String(decoding: line, as: UTF8.self)
    }

    /// The field value for an outgoing request within the trace.
    ///
    /// - Parameter parent: the id of the current span, not 0.
    package func traceparent(parent: UInt64) -> String {
        var line = Array("00-".utf8)
        appendID(to: &line)
        line.append(UInt8(ascii: "-"))
        Self.append(max(1, parent), to: &line)
        // Version 00 defines only the `sampled` flag.
        line += (flags & 1 == 1 ? "-01" : "-00").utf8
        return String(decoding: line, as: UTF8.self)
    }

    private static func append(_ number: UInt64, to line: inout [UInt8]) {
        for shift in stride(from: 60, through: 0, by: -4) {
            let digit = UInt8(truncatingIfNeeded: number >> UInt64(shift) & 15)
            line.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
    }

    /// Lower-case hexadecimal digits as a number; `nil` for anything else.
    private static func number(_ bytes: Span<UInt8>, _ range: Range<Int>) -> UInt64? {
        var value: UInt64 = 0
        for index in range {
            switch bytes[index] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | UInt64(bytes[index] - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"):
                value = value << 4 | UInt64(bytes[index] - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        return value
    }
}
