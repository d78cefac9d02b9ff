/// Suggests the nearest known name for a misspelt one: configuration keys, parameters, sources and presets.
package enum NearestName {
    /// The longest name, in bytes, to find suggestions for: the work grows with the length, and names are untrusted.
    private static let longest = 64

    /// The candidate nearest to a misspelt name, ignoring case; `nil` if none is close.
    ///
    /// The right key in the wrong section is close, too: `memory` suggests `cache.memory`.
    ///
    /// - Parameter otherNames: synonyms from other software, such as `width` for `w`.
    package static func of(
        _ name: String,
        among candidates: some Sequence<String>,
        otherNames: [String: String] = [:]
    ) -> String? {
        let misspelt = Array(name.lowercased().utf8)
        guard misspelt.count <= longest else { return nil }
        if let meant = otherNames[name.lowercased()] { return meant }
        // One edit in a single-letter name leaves nothing of it.
        let limit = min(max(1, min(3, misspelt.count / 3)), misspelt.count - 1)
        var best: (name: String, slips: Int)?
        func consider(_ spelling: String, meaning: String) {
            let slips = slips(from: misspelt, to: Array(spelling.lowercased().utf8), limit: limit)
            if let slips, slips < best?.slips ?? .max { best = (meaning, slips) }
        }
        for candidate in candidates { consider(candidate, meaning: candidate) }
        for (spelling, meaning) in otherNames.sorted(by: { $0.key < $1.key }) { consider(spelling, meaning: meaning) }
        return best?.name
    }

    /// A suffix for an error message, such as `; did you mean w?`; empty if no candidate is close.
    package static func hint(
        _ name: String,
        among candidates: some Sequence<String>,
        otherNames: [String: String] = [:]
    ) -> String {
        of(name, among: candidates, otherNames: otherNames).map { "; did you mean \($0)?" } ?? ""
    }

    /// The end of a sentence: `; did you mean w?`, or a full stop if no candidate is close.
    package static func sentenceEnd(_ name: String, among candidates: some Sequence<String>) -> String {
        let hint = hint(name, among: candidates)
        return hint.isEmpty ? "." : hint
    }

    /// The edit distance of a candidate; `nil` if it exceeds the limit.
    private static func slips(from name: [UInt8], to candidate: [UInt8], limit: Int) -> Int? {
        let dot = UInt8(ascii: ".")
        // The same key in another section counts as one edit.
        if candidate.contains(dot) || name.contains(dot), limit > 0,
            name.split(separator: dot).last == candidate.split(separator: dot).last
        {
            return min(1, distance(name, candidate))
        }
        guard abs(name.count - candidate.count) <= limit else { return nil }
        let distance = distance(name, candidate)
        return distance <= limit ? distance : nil
    }

    /// The edit distance in bytes: insertions, deletions, substitutions and swaps of neighbours.
    static func distance(_ left: String, _ right: String) -> Int { distance(Array(left.utf8), Array(right.utf8)) }

    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
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
