import HTTPSemantics

/// A time in seconds as `2026-11-21T00:00:00Z` (RFC 3339), recomputed only when the second changes.
struct TimestampText {
    /// 20 bytes.
    private(set) var bytes: [UInt8] = []
    private var second = Int64.min

    /// Updates the text to a time in seconds since 1970.
    @inline(__always)
    mutating func update(to now: Int64) {
        if now != second { rewrite(now) }
    }

    private mutating func rewrite(_ now: Int64) {
        second = now
        let date = CivilDate(seconds: HTTPDate(clamping: now).seconds)
        bytes.removeAll(keepingCapacity: true)
        appendPair(date.year / 100)
        appendPair(date.year % 100)
        let parts: [5 of (UInt8, Int64)] = [
            (UInt8(ascii: "-"), date.month), (UInt8(ascii: "-"), date.day), (UInt8(ascii: "T"), date.hour),
            (UInt8(ascii: ":"), date.minute), (UInt8(ascii: ":"), date.second),
        ]
        for index in parts.indices {
            bytes.append(parts[index].0)
            appendPair(parts[index].1)
        }
        bytes.append(UInt8(ascii: "Z"))
    }

    private mutating func appendPair(_ value: Int64) {
        bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / 10))
        bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value % 10))
    }
}
