/// How costly a piece of work is, so that its failure can predict that of other work on the same original: a partial order.
///
/// Work is at least as costly as other work if it is of the same kind, has all of its parts, and reaches each of its levels.
package struct WorkClass: Hashable, Sendable, CustomStringConvertible {
    /// Work of different kinds is not comparable.
    package let kind: String
    /// What is done beyond the kind's minimum.
    package let parts: Set<String>
    /// Measures of the cost in coarse steps, the same ones in the same order for all work.
    package let levels: [Int]
    /// The class in words, for operators.
    package let description: String

    /// Creates a class.
    package init(kind: String, parts: Set<String>, levels: [Int], description: String) {
        self.kind = kind
        self.parts = parts
        self.levels = levels
        self.description = description
    }

    /// Whether work of the other class is at least as costly.
    package func isAtMost(_ other: WorkClass) -> Bool {
        kind == other.kind && parts.isSubset(of: other.parts) && levels.count == other.levels.count
            && zip(levels, other.levels).allSatisfy { $0 <= $1 }
    }

    /// Returns the key under which failures of this class of work on an original are remembered.
    package func failureKey(of origin: CacheKey) -> CacheKey {
        let lines = ["failure/3", "\(origin)", kind, parts.sorted().joined(separator: " "), "\(levels)"]
        return CacheKey(hashing: lines.joined(separator: "\n"))
    }
}
