/// An HTTP date (RFC 9110 §5.6.7): whole seconds, GMT, in the years 1970 to 9999.
package struct HTTPDate: Hashable, Sendable, Comparable {
    /// Seconds since 1970-01-01T00:00:00Z, 0 to 253,402,300,799.
    package let seconds: Int64

    /// The last second of the year 9999.
    package static let latest: Int64 = 253_402_300_799

    /// Creates a date from seconds since 1970; `nil` outside the years 1970 to 9999.
    package init?(seconds: Int64) {
        guard (0...HTTPDate.latest).contains(seconds) else { return nil }
        self.seconds = seconds
    }

    /// Creates a date from seconds since 1970, clamped to the years 1970 to 9999.
    package init(clamping seconds: Int64) {
        self.seconds = min(max(seconds, 0), HTTPDate.latest)
    }

    package static func < (left: HTTPDate, right: HTTPDate) -> Bool { left.seconds < right.seconds }
}
