/// A date and time in the proleptic Gregorian calendar, in GMT.
package struct CivilDate: Hashable, Sendable {
    package var year: Int64
    /// 1 to 12.
    package var month: Int64
    /// 1 to the month's length.
    package var day: Int64
    package var hour: Int64
    package var minute: Int64
    package var second: Int64

    /// Whether every part is in range, including second 60 for leap seconds (RFC 5322 §3.3).
    package var isValid: Bool {
        (1...12).contains(month) && day >= 1 && day <= CivilDate.days(in: month, of: year)
            && (0...23).contains(hour) && (0...59).contains(minute) && (0...60).contains(second)
    }

    /// Seconds since 1970-01-01T00:00:00Z; a leap second counts as the second before it (RFC 9111 §4.2: equal to or earlier).
    package var seconds: Int64 {
        // Years start in March, so that the leap day is the last day; 400 years are 146,097 days.
        let year = month <= 2 ? self.year - 1 : self.year
        let era = year / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        let days = era * 146_097 + dayOfEra - 719_468
        return days * 86_400 + hour * 3_600 + minute * 60 + min(second, 59)
    }

    /// The day of the week of a moment, 0 for Sunday.
    package static func weekday(of seconds: Int64) -> Int { Int((dayNumber(of: seconds) % 7 + 11) % 7) }

    /// Days from 1970 to the day of a moment; negative before.
    private static func dayNumber(of seconds: Int64) -> Int64 {
        seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
    }

    /// The number of days in a month.
    package static func days(in month: Int64, of year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

extension CivilDate {
    /// The date and time of a moment from the year 0 on.
    package init(seconds: Int64) {
        let dayNumber = Self.dayNumber(of: seconds)
        let days = dayNumber + 719_468
        let era = days / 146_097
        let dayOfEra = days - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let time = seconds - dayNumber * 86_400
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        hour = time / 3_600
        minute = time % 3_600 / 60
        second = time % 60
    }
}
