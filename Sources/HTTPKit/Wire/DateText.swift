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
        let days = now >= 0 ? now / 86_400 : (now - 86_399) / 86_400
        let time = now - days * 86_400
        let date = Self.civil(days)
        let weekday = Int(((days % 7) + 11) % 7)
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
        appendPair(Int(time / 3600))
        line.append(0x3A)
        appendPair(Int(time / 60 % 60))
        line.append(0x3A)
        appendPair(Int(time % 60))
        line += " GMT\r\n".utf8
    }

    private mutating func appendPair(_ value: Int) {
        line.append(0x30 + UInt8(value / 10 % 10))
        line.append(0x30 + UInt8(value % 10))
    }

    /// Converts days since 1970 to the proleptic Gregorian calendar, by eras of 400 years that begin in March.
    private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}
