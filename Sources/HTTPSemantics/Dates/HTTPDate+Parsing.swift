extension HTTPDate {
    /// Parses a date in any of the three forms of RFC 9110 §5.6.7, without surrounding white space.
    ///
    /// Letters may have any case (RFC 9111 §4.2); otherwise the forms are exact. The day name must be valid, but need not match the
    /// date.
    ///
    /// - Parameter now: seconds since 1970, to resolve the two-digit year of the obsolete RFC 850 form.
    package init?(_ text: String, now: Int64) {
        self.init(text.utf8Span.span, now: now)
    }

    /// As `init(_:now:)`, from the field value's bytes.
    package init?(_ bytes: Span<UInt8>, now: Int64) {
        let date: CivilDate? =
            switch bytes.count {
            case 24: HTTPDate.asctime(bytes)
            case 29: HTTPDate.fixdate(bytes)
            case 30...33: HTTPDate.rfc850(bytes, now: now)
            default: nil
            }
        guard let date, date.isValid, (1970...9999).contains(date.year) else { return nil }
        self.init(seconds: date.seconds)
    }

    /// `Sun, 06 Nov 1994 08:49:37 GMT`.
    private static func fixdate(_ bytes: Span<UInt8>) -> CivilDate? {
        guard weekday(bytes, 0..<3), matches(bytes, 3, ", "), matches(bytes, 7, " "), matches(bytes, 11, " "),
            matches(bytes, 16, " "), matches(bytes, 25, " gmt"),
            let day = number(bytes, 5, 2), let month = month(bytes, 8), let year = number(bytes, 12, 4)
        else { return nil }
        return timed(bytes, 17, year: year, month: month, day: day)
    }

    /// `Sunday, 06-Nov-94 08:49:37 GMT`.
    private static func rfc850(_ bytes: Span<UInt8>, now: Int64) -> CivilDate? {
        let name = bytes.count - 24
        guard (6...9).contains(name), longWeekday(bytes, 0..<name), matches(bytes, name, ", "),
            matches(bytes, name + 4, "-"), matches(bytes, name + 8, "-"), matches(bytes, name + 11, " "),
            matches(bytes, name + 20, " gmt"),
            let day = number(bytes, name + 2, 2), let month = month(bytes, name + 5),
            let short = number(bytes, name + 9, 2)
        else { return nil }
        // RFC 9110 §5.6.7: more than 50 years ahead means the most recent past year with the same digits.
        let horizon = CivilDate(seconds: max(0, now)).year + 50
        let year = horizon - (horizon - short) % 100
        guard var date = timed(bytes, name + 12, year: year, month: month, day: day) else { return nil }
        if year == horizon {
            var limit = CivilDate(seconds: max(0, now))
            limit.year += 50
            if date.seconds > limit.seconds { date.year -= 100 }
        }
        return date
    }

    /// `Sun Nov  6 08:49:37 1994`.
    private static func asctime(_ bytes: Span<UInt8>) -> CivilDate? {
        guard weekday(bytes, 0..<3), matches(bytes, 3, " "), matches(bytes, 7, " "), matches(bytes, 10, " "),
            matches(bytes, 19, " "),
            let month = month(bytes, 4), let year = number(bytes, 20, 4),
            let day = bytes[8] == 0x20 ? number(bytes, 9, 1) : number(bytes, 8, 2)
        else { return nil }
        return timed(bytes, 11, year: year, month: month, day: day)
    }

    /// Parses `08:49:37` at `start` and adds it to a day.
    private static func timed(_ bytes: Span<UInt8>, _ start: Int, year: Int64, month: Int64, day: Int64) -> CivilDate? {
        guard let hour = number(bytes, start, 2), matches(bytes, start + 2, ":"),
            let minute = number(bytes, start + 3, 2), matches(bytes, start + 5, ":"),
            let second = number(bytes, start + 6, 2)
        else { return nil }
        return CivilDate(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
    }

    private static func number(_ bytes: Span<UInt8>, _ start: Int, _ count: Int) -> Int64? {
        FieldSyntax.number(bytes, start..<start + count, ceiling: 9999)
    }

    private static func matches(_ bytes: Span<UInt8>, _ start: Int, _ lowercase: StaticString) -> Bool {
        FieldSyntax.equals(bytes, start..<start + lowercase.utf8CodeUnitCount, lowercase)
    }

    private static func weekday(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        let names: [7 of StaticString] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
        for index in names.indices where FieldSyntax.equals(bytes, range, names[index]) { return true }
        return false
    }

    private static func longWeekday(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        let names: [7 of StaticString] = [
            "sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday",
        ]
        for index in names.indices where FieldSyntax.equals(bytes, range, names[index]) { return true }
        return false
    }

    private static func month(_ bytes: Span<UInt8>, _ start: Int) -> Int64? {
        let names: [12 of StaticString] = [
            "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
        ]
        for index in names.indices where FieldSyntax.equals(bytes, start..<start + 3, names[index]) {
            return Int64(index + 1)
        }
        return nil
    }
}
