/// A line of the dashboard: words with colours, cut to the width of the terminal.
struct DashboardLine: Sendable {
    /// How words look on a terminal with colours.
    enum Paint: String, Sendable {
        case plain = ""
        case title = "1"
        case muted = "2"
        case good = "32"
        case warning = "33"
        case bad = "31"
        case accent = "36"
    }

    private var words: [(text: String, paint: Paint)] = []

    /// A line that begins with a label.
    init(_ label: String = "", paint: Paint = .muted) {
        if !label.isEmpty { add(label.padded(to: 12), paint) }
    }

    /// Appends words.
    mutating func add(_ text: String, _ paint: Paint = .plain) { words.append((Printing.plain(text), paint)) }

    /// The line with at most `width` characters.
    func text(width: Int, isColoured: Bool) -> String {
        var left = width
        var text = ""
        for word in words {
            let shown = word.text.prefix(left)
            left -= shown.count
            guard !shown.isEmpty else { continue }
            text +=
                isColoured && word.paint != .plain ? "\u{1B}[\(word.paint.rawValue)m\(shown)\u{1B}[0m" : String(shown)
        }
        return text
    }
}

/// Draws numbers with characters.
struct DashboardChart: Sendable {
    /// Whether the terminal can show more than ASCII.
    let isUnicode: Bool

    private var levels: [Character] { Array(isUnicode ? "▁▂▃▄▅▆▇█" : "_.-=+*%#") }

    /// A sparkline, the newest value last; a missing value is a blank.
    ///
    /// - Parameters:
    ///   - width: the most characters.
    ///   - most: the value of the highest level; the largest one by default.
    func spark(_ values: [Double?], width: Int, most: Double? = nil) -> String {
        let shown = values.suffix(max(0, width))
        let top = max(most ?? shown.compactMap(\.self).max() ?? 0, .leastNormalMagnitude)
        let text = shown.map { value -> Character in
            guard let value else { return " " }
            let level = Int((min(1, max(0, value / top)) * Double(levels.count - 1)).rounded())
            return levels[level]
        }
        return String(text)
    }

    /// A bar.
    ///
    /// - Parameter share: 0–1.
    func bar(_ share: Double, width: Int) -> String {
        let filled = Int((min(1, max(0, share)) * Double(width)).rounded())
        let (full, empty) = isUnicode ? ("█", "░") : ("#", ".")
        return "[" + String(repeating: full, count: filled) + String(repeating: empty, count: width - filled) + "]"
    }
}

extension String {
    /// The text padded with spaces.
    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(1, width - count)) }
}
