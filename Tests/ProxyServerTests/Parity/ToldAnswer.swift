import TestSupport

/// The observations of a step through one source, as one text per aspect, for comparison with the other source.
struct ToldAnswer: Sendable, CustomStringConvertible {
    /// The compared aspects.
    enum Aspect: String, CaseIterable, Sendable {
        /// Requests that reached the origin.
        case asked
        /// The validators in them.
        case conditions
        /// The client's status code.
        case status
        /// `hit` or `fwd=…` of `Cache-Status`.
        case way
        /// `fwd-status`; the client's status if it is omitted, as RFC 9211 §2.3 permits.
        case forwardedStatus
        /// `detail` of `Cache-Status`.
        case detail
        case cacheControl
        /// `Age` of a stored response.
        case age
        case retryAfter
        /// The image that the client received.
        case content
        /// Whether an entry is in memory.
        case memory
        /// Whether an entry is on disk.
        case disk
    }

    private var values: [Aspect: String] = [:]

    subscript(_ aspect: Aspect) -> String {
        get { values[aspect] ?? "none" }
        set { values[aspect] = newValue }
    }

    /// Reads the client's response.
    init(_ answer: RawHTTPResponse) {
        self[.status] = String(answer.status)
        let members = (answer["Cache-Status"] ?? "").split(separator: ";").dropFirst()
            .map { $0.drop { $0 == " " } }
        for member in members where member == "hit" || member.hasPrefix("fwd=") { self[.way] = String(member) }
        if self[.way].hasPrefix("fwd=") { self[.forwardedStatus] = self[.status] }
        for member in members {
            if member.hasPrefix("fwd-status=") { self[.forwardedStatus] = String(member.dropFirst(11)) }
            if member.hasPrefix("detail=") { self[.detail] = String(member.dropFirst(7)) }
        }
        self[.cacheControl] = Self.pause(answer.values(of: "Cache-Control").joined(separator: ", "))
        if self[.cacheControl].isEmpty { values[.cacheControl] = nil }
        if let value = answer["Retry-After"] { self[.retryAfter] = Self.pause(value) }
        // For a response that has just arrived, see `DeliberateDifference.age`.
        let isStored = self[.way] == "hit" || self[.forwardedStatus] == "304"
        if isStored, let value = answer["Age"] { self[.age] = value }
        self[.content] = Self.name(answer)
    }

    /// A field's value without the jitter of the first back-off, which differs by URL.
    private static func pause(_ value: String) -> String {
        for seconds in 7...13 where value == "\(seconds)" || value == "public, max-age=\(seconds)" {
            return String(value.dropLast("\(seconds)".count)) + "about 10"
        }
        return value
    }

    private static func name(_ answer: RawHTTPResponse) -> String {
        switch answer.body {
        case TwoSourceRig.first: "first picture"
        case TwoSourceRig.second: "second picture"
        case []: "none"
        default: answer["Content-Type"] == "application/problem+json" ? "problem document" : "other"
        }
    }

    /// All non-empty aspects, in one line.
    var description: String {
        Aspect.allCases.filter { self[$0] != "none" }.map { "\($0.rawValue) \(self[$0])" }.joined(separator: ", ")
    }
}
