import LinuxSystem

/// Formats the progress of a command with rate and time left: a bar on a terminal, otherwise a line every few seconds.
struct ProgressMeter {
    /// What is counted.
    enum Unit: Sendable {
        case items
        case bytes
    }

    /// Nanoseconds between two plain lines.
    private static let interval: Int64 = 5_000_000_000
    private static let width = 30

    private let isTerminal: Bool
    private let unit: Unit
    private let time: any TimeSource
    /// The first count that was shown, from which the rate is computed.
    private var first: (done: Int, at: Int64)?
    private var shownAt = Int64.min

    init(isTerminal: Bool, unit: Unit = .items, time: any TimeSource) {
        (self.isTerminal, self.unit, self.time) = (isTerminal, unit, time)
    }

    /// The text that removes the bar.
    var clear: String { isTerminal && first != nil ? "\r\u{1B}[K" : "" }

    /// The text for a count; empty if it is not time for a line yet.
    ///
    /// - Parameters:
    ///   - total: the count at the end; `nil` if it is not known.
    ///   - notes: what is shown behind the count.
    mutating func text(_ done: Int, of total: Int?, notes: [String] = []) -> String {
        let now = time.monotonic
        let start = first ?? (done, now)
        first = start
        let seconds = Double(now - start.at) / 1e9
        let rate = seconds > 0 ? Double(done - start.done) / seconds : 0
        var words = ([total.map { "\(amount(done)) of \(amount($0))" } ?? amount(done)] + notes).joined(separator: ", ")
        if rate > 0 {
            words += ", \(unit == .bytes ? Printing.size(Int(rate)) : Printing.rounded(rate))/s"
            if let total { words += ", \(Printing.duration(Int((Double(total - done) / rate).rounded(.up)))) left" }
        }
        let share = total.map { $0 > 0 ? min(1, Double(done) / Double($0)) : 1 }
        if isTerminal {
            let bar = share.map { "[\(Self.bar($0))] \(Int($0 * 100)) % " } ?? ""
            return "\r\(bar)\(words)\u{1B}[K"
        }
        guard shownAt == .min || now - shownAt >= Self.interval else { return "" }
        shownAt = now
        return (share.map { "\(Int($0 * 100)) %: " } ?? "") + words + "\n"
    }

    private func amount(_ number: Int) -> String { unit == .bytes ? Printing.size(number) : "\(number)" }

    private static func bar(_ share: Double) -> String {
        let filled = Int(share * Double(width))
        return String(repeating: "#", count: filled) + String(repeating: ".", count: width - filled)
    }
}
