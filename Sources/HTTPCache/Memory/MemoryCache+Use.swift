import LinuxSystem

/// Entries and their bytes in a cache tier.
package struct TierUse: Hashable, Sendable {
    package var entries = 0
    package var bytes = 0

    /// Creates zeros.
    package init() {}

    /// Adds other entries.
    package mutating func add(_ entries: Int, _ bytes: Int) {
        self.entries += entries
        self.bytes += bytes
    }
}

extension MemoryCache {
    /// The entries that are read at once under a shard's lock, so that a lookup waits for microseconds only.
    private static var step: Int { 256 }

    /// The entries and bytes by a property of the values; changes meanwhile make the result approximate.
    ///
    /// Takes time in proportion to the number of entries; not for event loops.
    ///
    /// - Parameter name: runs under a shard's lock and must be fast.
    package func use(by name: (Value) -> String) -> [String: TierUse] {
        var result: [String: TierUse] = [:]
        for part in parts {
            var (space, index) = (0, 0)
            while true {
                let (found, hasMore) = part.shard.withLock { shard -> ([(String, Int)], Bool) in
                    shard.costs(from: &space, &index, count: Self.step, by: name)
                }
                for (name, cost) in found { result[name, default: TierUse()].add(1, cost) }
                if !hasMore { break }
            }
        }
        return result
    }
}

extension MemoryShard {
    /// The costs of the entries at some places, with a property of their values.
    ///
    /// - Parameters:
    ///   - space: the space and the place to begin with; advanced to those of the next call.
    ///   - count: the maximum number of places.
    /// - Returns: the costs, and whether there are further places.
    fileprivate func costs(
        from space: inout Int,
        _ index: inout Int,
        count: Int,
        by name: (Value) -> String
    ) -> ([(String, Int)], Bool) {
        var result: [(String, Int)] = []
        var left = count
        while space < spaces.count {
            let entries = spaces[space].entries
            while index < entries.count {
                guard left > 0 else { return (result, true) }
                left -= 1
                if let value = entries[index].value { result.append((name(value), entries[index].cost)) }
                index += 1
            }
            (space, index) = (space + 1, 0)
        }
        return (result, false)
    }
}
