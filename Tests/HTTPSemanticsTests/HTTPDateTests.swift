import HTTPSemantics
import Testing

@Suite(.timeLimit(.minutes(1)))
struct HTTPDateTests {
    /// 2026-11-21T00:00:00Z.
    static let now: Int64 = 1_795_219_200

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        "sun, 06 nov 1994 08:49:37 gmt", "SUNDAY, 06-NOV-94 08:49:37 GMT", "SUN NOV  6 08:49:37 1994",
    ])
    func `parses the three forms in any case`(text: String) {
        #expect(HTTPDate(text, now: Self.now)?.seconds == 784_111_777)
    }

    @Test(arguments: [
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0 as Int64),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
        ("Tue, 29 Feb 2000 12:00:00 GMT", 951_825_600),
        ("Thu, 29 Feb 2024 00:00:00 GMT", 1_709_164_800),
        ("Tue, 19 Jan 2038 03:14:08 GMT", 2_147_483_648),
        ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_799),
        ("Mon Feb 29 00:00:00 2016", 1_456_704_000),
        ("Wed Feb  9 00:00:00 2016", 1_454_976_000),
    ])
    func `converts boundary days to seconds`(text: String, seconds: Int64) {
        #expect(HTTPDate(text, now: Self.now)?.seconds == seconds)
    }

    @Test(arguments: [
        "", "0", "-1", "now", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sun, 06 Nov 1994 08:49:37 +0000", "Sun, 6 Nov 1994 08:49:37 GMT", "Sun,  6 Nov 1994 08:49:37 GMT",
        "Sun 06 Nov 1994 08:49:37 GMT", "Sun,06 Nov 1994 08:49:37 GMT", "Sun, 06-Nov-1994 08:49:37 GMT",
        "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 06 Nov 1994 08.49.37 GMT",
        "Sun, 06 Nov 1994  08:49:37 GMT", "Sun, 31 Nov 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
        "Thu, 29 Feb 2100 00:00:00 GMT", "Sun, 29 Feb 2023 00:00:00 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
        "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT", "Son, 06 Nov 1994 08:49:37 GMT",
        "Sun, 06 Okt 1994 08:49:37 GMT", "Wed, 31 Dec 1969 23:59:59 GMT", "Sun, +6 Nov 1994 08:49:37 GMT",
        "Sunday, 06-Nov-94 08:49:37 UTC", "Sunny, 06-Nov-94 08:49:37 GMT", "Sunday, 06 Nov 94 08:49:37 GMT",
        "Sun Nov 06 08:49:37 94", "Sun Nov 6 08:49:37 1994", "Sun Nov  6 08:49:37 1994 ",
        " Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z", "Sun, 06 Nov 1994 08:49:37 GMT, x",
    ])
    func `rejects any other form`(text: String) {
        #expect(HTTPDate(text, now: Self.now) == nil)
    }

    @Test(arguments: [
        ("Saturday, 21-Nov-76 00:00:00 GMT", 2076), ("Saturday, 21-Nov-76 00:00:01 GMT", 1976),
        ("Monday, 01-Jan-76 00:00:00 GMT", 2076), ("Thursday, 01-Dec-76 00:00:00 GMT", 1976),
        ("Saturday, 01-Jan-77 00:00:00 GMT", 1977), ("Friday, 31-Dec-99 00:00:00 GMT", 1999),
        ("Saturday, 01-Jan-00 00:00:00 GMT", 2000), ("Friday, 01-Jan-27 00:00:00 GMT", 2027),
    ])
    func `places a two-digit year at most fifty years ahead`(text: String, year: Int) throws {
        let date = try #require(HTTPDate(text, now: Self.now))
        #expect(date.description.split(separator: " ")[3] == String(year))
    }

    @Test func `parses a two-digit year at the turn of a century`() throws {
        let newYear2100 = try #require(HTTPDate("Fri, 01 Jan 2100 00:00:00 GMT", now: Self.now)).seconds
        let last = try #require(HTTPDate("Thursday, 31-Dec-99 23:59:59 GMT", now: newYear2100))
        #expect(last.seconds == newYear2100 - 1)
        let next = try #require(HTTPDate("Saturday, 01-Jan-01 00:00:00 GMT", now: newYear2100 - 1))
        #expect(next.description == "Sat, 01 Jan 2101 00:00:00 GMT")
    }

    @Test func `writes the IMF-fixdate form`() throws {
        let date = try #require(HTTPDate(seconds: 784_111_777))
        #expect(date.description == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(date.bytes == Array("Sun, 06 Nov 1994 08:49:37 GMT".utf8))
    }

    @Test func `parses every day it writes`() throws {
        var month = ""
        var months = 0
        // A prime step, somewhat over a day, covers every time of day and every day of the calendar.
        for seconds in stride(from: 0, through: HTTPDate.latest, by: 86_413 * 11) {
            let date = try #require(HTTPDate(seconds: seconds))
            let text = date.description
            guard HTTPDate(text, now: Self.now) == date else {
                Issue.record("\(seconds) was written as \(text)")
                return
            }
            let this = String(text.dropFirst(8).prefix(8))
            if this != month { (month, months) = (this, months + 1) }
        }
        #expect(months == 8030 * 12)
    }

    @Test func `has no value outside its years`() {
        #expect(HTTPDate(seconds: -1) == nil)
        #expect(HTTPDate(seconds: HTTPDate.latest + 1) == nil)
        #expect(HTTPDate(clamping: -1).seconds == 0)
        #expect(HTTPDate(clamping: .max).description == "Fri, 31 Dec 9999 23:59:59 GMT")
    }
}
