/// Redacts signatures in logged request targets, because they would authorise readers of the log.
enum LoggedTarget {
    /// Appends a target in quotes with the values of `sig` redacted.
    ///
    /// - Parameter limit: the maximum bytes; "…" replaces the rest.
    static func append(_ target: Span<UInt8>, limit: Int, to line: inout [UInt8]) {
        guard let shown = redacted(target) else {
            return LogText.appendQuoted(target, limit: limit, to: &line)
        }
        LogText.appendQuoted(shown.span, limit: limit, to: &line)
    }

    /// A target with the values of `sig` redacted; `nil` if it has none.
    static func redacted(_ target: Span<UInt8>) -> [UInt8]? {
        guard let signature = signature(in: target) else { return nil }
        var shown: [UInt8] = []
        var start = 0
        var next: Range<Int>? = signature
        while let range = next {
            for index in start..<range.lowerBound { shown.append(target[index]) }
            shown += "[redacted]".utf8
            start = range.upperBound
            next = self.signature(in: target, from: start)
        }
        for index in start..<target.count { shown.append(target[index]) }
        return shown
    }

    /// The value of the next `sig` pair, of the query or of parameters in the path, even if its name is percent-encoded.
    private static func signature(in target: Span<UInt8>, from start: Int = 0) -> Range<Int>? {
        var index = start
        // Each pair begins after "?" or "&", in a path after "/" or ","; after a redacted one, at the character that ends it.
        var isQuery = false
        for place in 0..<min(start, target.count) where target[place] == UInt8(ascii: "?") { isQuery = true }
        while index < target.count {
            let byte = target[index]
            isQuery = isQuery || byte == UInt8(ascii: "?")
            guard byte == UInt8(ascii: "?") || (isQuery ? byte == UInt8(ascii: "&") : index > 0 && isPathBoundary(byte))
            else {
                index += 1
                continue
            }
            index += 1
            guard let value = valueOfSignature(target, at: index) else { continue }
            var end = value
            while end < target.count, isQuery ? target[end] != UInt8(ascii: "&") : !endsPathPair(target[end]) {
                end += 1
            }
            return value..<end
        }
        return nil
    }

    private static func isPathBoundary(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "/") || byte == UInt8(ascii: ",") }

    private static func endsPathPair(_ byte: UInt8) -> Bool { isPathBoundary(byte) || byte == UInt8(ascii: "?") }

    /// The start of the value if the pair's name is `sig`.
    private static func valueOfSignature(_ target: Span<UInt8>, at start: Int) -> Int? {
        var index = start
        for letter in "sig".utf8 {
            guard index < target.count else { return nil }
            if target[index] == letter {
                index += 1
            } else if target[index] == UInt8(ascii: "%"), index + 2 < target.count,
                target[index + 1] == UInt8(ascii: "0") + letter >> 4, isDigit(target[index + 2], of: letter & 15)
            {
                index += 3
            } else {
                return nil
            }
        }
        guard index < target.count, target[index] == UInt8(ascii: "=") else { return nil }
        return index + 1
    }

    private static func isDigit(_ byte: UInt8, of value: UInt8) -> Bool {
        value < 10
            ? byte == UInt8(ascii: "0") + value
            : byte | 0x20 == UInt8(ascii: "a") + value - 10
    }
}
