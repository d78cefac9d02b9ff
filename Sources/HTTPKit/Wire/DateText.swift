import HTTPSemantics

/// The `Date` field line for the current second (RFC 9110 §5.6.7), recomputed only when the second changes.
struct DateText: Sendable {
    /// `Date: Sun, 06 Nov 1994 08:49:37 GMT` CRLF.
    private(set) var line: [UInt8] = []
    private var second = Int64.min

    /// Updates the text to a time in seconds since 1970.
    @inline(__always)
    mutating func update(to now: Int64) {
        if now != second { rewrite(now) }
    }

    private mutating func rewrite(_ now: Int64) {
        second = now
        let date = CivilDate(seconds: now)
        let weekday = CivilDate.weekday(of: now)
        line.removeAll(keepingCapacity: true)
        line += "Date: ".utf8
        line += ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][weekday].utf8
        line += ", ".utf8
        appendPair(Int(date.day))
        line +=
            [
                "", " Jan ", " Feb ", " Mar ", " Apr ", " May ", " Jun ", " Jul ", " Aug ", " Sep ", " Oct ", " Nov ",
                " Dec ",
            ][
                Int(date.month)
            ].utf8
        appendPair(Int(date.year / 100))
        appendPair(Int(date.year % 100))
        line.append(0x20)
        appendPair(Int(date.hour))
        line.append(0x3A)
        appendPair(Int(date.minute))
        line.append(0x3A)
        appendPair(Int(date.second))
        line += " GMT\r\n".utf8
    }

    private mutating func appendPair(_ value: Int) {
        line.append(0x30 + UInt8(value / 10 % 10))
        line.append(0x30 + UInt8(value % 10))
    }
}
