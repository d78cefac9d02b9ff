/// Finds the name that was probably meant in place of an unknown one: for configuration keys, parameters, sources and presets.
package enum NearestName {
    /// The longest name, in bytes, for which a suggestion is sought: the work grows with the length, and names come from outside.
    private static let longest = 64

    /// The candidate nearest to a misspelt name, case aside; `nil` where none is near.
    ///
    /// A right name in the wrong section is near, too: `memory` means `cache.memory`.
    ///
    /// - Parameter otherNames: what other software calls the candidates, such as `width` for `w`.
    package static func of(
        _ name: String,
        among candidates: some Sequence<String>,
        otherNames: [String: String] = [:]
    ) -> String? {
        let misspelt = Array(name.lowercased().utf8)
        guard misspelt.count <= longest else { return nil }
        if let meant = otherNames[name.lowercased()] { return meant }
        // One slip of a name with one letter leaves nothing of it.
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

    /// `; did you mean w?`, to be put behind an error; empty where no candidate is near.
    package static func hint(
        _ name: String,
        among candidates: some Sequence<String>,
        otherNames: [String: String] = [:]
    ) -> String {
        of(name, among: candidates, otherNames: otherNames).map { "; did you mean \($0)?" } ?? ""
    }

    /// How far a candidate is from a misspelt name; `nil` where that is beyond the limit.
    private static func slips(from name: [UInt8], to candidate: [UInt8], limit: Int) -> Int? {
        let dot = UInt8(ascii: ".")
        // The same key elsewhere is as good as one slip.
        if candidate.contains(dot) || name.contains(dot), limit > 0,
            name.split(separator: dot).last == candidate.split(separator: dot).last
        {
            return min(1, distance(name, candidate))
        }
        guard abs(name.count - candidate.count) <= limit else { return nil }
        let distance = distance(name, candidate)
        return distance <= limit ? distance : nil
    }

    /// Insertions, deletions, substitutions and swaps of neighbours between two texts, in bytes.
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
