extension HTTPDate: CustomStringConvertible {
    /// The IMF-fixdate form, 29 bytes: `Sun, 06 Nov 1994 08:49:37 GMT`.
    package var bytes: [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(29)
        append(to: &result)
        return result
    }

    /// The IMF-fixdate form.
    package var description: String { String(decoding: bytes, as: UTF8.self) }

    /// Appends the IMF-fixdate form, the only one senders may generate (RFC 9110 §5.6.7).
    package func append(to output: inout [UInt8]) {
        let date = CivilDate(seconds: seconds)
        let weekday = CivilDate.weekday(of: seconds)
        output.append(contentsOf: HTTPDate.weekdays.utf8.dropFirst(weekday * 3).prefix(3))
        output.append(UInt8(ascii: ","))
        output.append(UInt8(ascii: " "))
        HTTPDate.appendTwoDigits(date.day, to: &output)
        output.append(UInt8(ascii: " "))
        output.append(contentsOf: HTTPDate.months.utf8.dropFirst(Int(date.month - 1) * 3).prefix(3))
        output.append(UInt8(ascii: " "))
        HTTPDate.appendTwoDigits(date.year / 100, to: &output)
        HTTPDate.appendTwoDigits(date.year % 100, to: &output)
        output.append(UInt8(ascii: " "))
        HTTPDate.appendTwoDigits(date.hour, to: &output)
        output.append(UInt8(ascii: ":"))
        HTTPDate.appendTwoDigits(date.minute, to: &output)
        output.append(UInt8(ascii: ":"))
        HTTPDate.appendTwoDigits(date.second, to: &output)
        output.append(contentsOf: " GMT".utf8)
    }

    private static let weekdays = "SunMonTueWedThuFriSat"
    private static let months = "JanFebMarAprMayJunJulAugSepOctNovDec"

    private static func appendTwoDigits(_ value: Int64, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / 10))
        output.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value % 10))
    }
}
