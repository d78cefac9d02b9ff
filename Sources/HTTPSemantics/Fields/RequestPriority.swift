/// The order in which queued work starts; comparable, the most urgent last.
package enum RequestPriority: Int, Hashable, Sendable, Comparable, CaseIterable {
    /// Work that no client waits for yet: refreshes, warming, prefetches.
    case background = 0
    case low = 1
    case normal = 2
    case high = 3

    package static func < (left: RequestPriority, right: RequestPriority) -> Bool { left.rawValue < right.rawValue }
}

extension RequestPriority {
    /// Reads the priority that a client states.
    ///
    /// Urgency 0 to 2 is high, 3 to 5 normal, and 6 or 7 low (RFC 9218 §4.1); a value that cannot be parsed is ignored, as §5 asks.
    /// A prefetch is background work, whatever its urgency.
    ///
    /// - Parameters:
    ///   - field: the value of `Priority`.
    ///   - purpose: the value of `Sec-Purpose` (Fetch Standard, "Sec-Purpose").
    package init(field: String?, purpose: String? = nil) {
        if let purpose, purpose.split(separator: ";").first?.trimmingBlanks == "prefetch" {
            self = .background
            return
        }
        var urgency = 3
        for member in (field ?? "").split(separator: ",") {
            let member = member.trimmingBlanks
            guard member.hasPrefix("u="), let value = Int(member.dropFirst(2).prefix { $0 != ";" }),
                (0...7).contains(value)
            else { continue }
            urgency = value
        }
        self = urgency < 3 ? .high : urgency < 6 ? .normal : .low
    }
}

extension Substring {
    fileprivate var trimmingBlanks: Substring {
        var text = drop { $0 == " " || $0 == "\t" }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }
}
