/// Finds what a person may have meant.
enum NearestName {
    /// The candidate nearest to a misspelt name; `nil` where none is near.
    ///
    /// A right name in the wrong section is near, too: `memory` means `cache.memory`.
    static func of(_ name: String, among candidates: [String]) -> String? {
        let last = name.split(separator: ".").last.map(String.init) ?? name
        let scored = candidates.map { candidate in
            let tail = candidate.split(separator: ".").last.map(String.init) ?? candidate
            let whole = distance(name, candidate)
            // The same key elsewhere is as good as one slip.
            return (candidate, tail == last ? min(whole, 1) : whole)
        }
        guard let best = scored.min(by: { $0.1 < $1.1 }) else { return nil }
        return best.1 <= max(1, min(3, name.count / 3)) ? best.0 : nil
    }

    /// Insertions, deletions, substitutions and swaps of neighbours between two texts.
    static func distance(_ left: String, _ right: String) -> Int {
        let left = Array(left)
        let right = Array(right)
        guard !left.isEmpty, !right.isEmpty else { return max(left.count, right.count) }
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for row in 1...left.count {
            var current = [row]
            for column in 1...right.count {
                let substitution = last[column - 1] + (left[row - 1] == right[column - 1] ? 0 : 1)
                var best = min(last[column] + 1, current[column - 1] + 1, substitution)
                if row > 1, column > 1, left[row - 1] == right[column - 2], left[row - 2] == right[column - 1] {
                    best = min(best, beforeLast[column - 2] + 1)
                }
                current.append(best)
            }
            (beforeLast, last) = (last, current)
        }
        return last[right.count]
    }
}
