import CCurl
import Glibc

/// HTTP dates as the transfers need them (RFC 9110 §5.6.7).
enum TransferDate {
    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// IMF-fixdate of seconds since 1970; `nil` for years that it cannot write.
    static func text(_ seconds: Int64) -> String? {
        var time = time_t(seconds)
        var parts = unsafe tm()
        guard unsafe gmtime_r(&time, &parts) != nil, unsafe (0...9999).contains(parts.tm_year + 1900) else {
            return nil
        }
        func padded(_ number: CInt, _ width: Int = 2) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        let day = unsafe "\(days[Int(parts.tm_wday)]), \(padded(parts.tm_mday)) \(months[Int(parts.tm_mon)])"
        let clock = unsafe "\(padded(parts.tm_hour)):\(padded(parts.tm_min)):\(padded(parts.tm_sec))"
        return unsafe "\(day) \(padded(parts.tm_year + 1900, 4)) \(clock) GMT"
    }

    /// Seconds since 1970 of a date in any of the three forms; `nil` for anything else.
    static func seconds(_ text: String) -> Int64? {
        let time = unsafe curl_getdate(text, nil)
        return time == -1 ? nil : Int64(time)
    }
}
