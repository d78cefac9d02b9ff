/// The spaces of namespaces that have a share of a memory cache for themselves.
///
/// Space 0 is the one of all others. A space that is no longer needed is reused.
struct MemoryReservations: Sendable {
    /// The numbers of the spaces, by namespace.
    private(set) var spaces: [String: Int] = [:]
    /// The number of spaces that exist besides space 0.
    private(set) var count = 0

    /// Returns the space of a namespace.
    func space(of namespace: String) -> Int { spaces[namespace] ?? 0 }

    /// Sets the namespaces that have a space; those that already have one keep it.
    mutating func set(_ namespaces: Set<String>) {
        spaces = spaces.filter { namespaces.contains($0.key) }
        var free = Set(1...max(1, count)).subtracting(spaces.values).sorted()
        for namespace in namespaces.sorted() where spaces[namespace] == nil {
            if count == 0 || free.isEmpty {
                count += 1
                spaces[namespace] = count
                free.removeAll { $0 == count }
            } else {
                spaces[namespace] = free.removeFirst()
            }
        }
    }
}

/// The bounds of a memory cache, and how shards and namespaces share them.
struct MemoryBounds: Sendable {
    /// The maximum number of bytes of all entries' costs.
    var capacity: Int
    /// The bytes of it that namespaces have for themselves, by name.
    var reserved: [String: Int]
    /// The maximum number of entries; `.max` for no limit but the capacity.
    var entries: Int
    var reservations = MemoryReservations()

    /// The capacities of the spaces in each of a number of shards.
    func shares(among shards: Int) -> [Int] {
        var shares = [0] + Array(repeating: 0, count: reservations.count)
        shares[0] = max(0, capacity - reserved.values.reduce(0, +)) / shards
        for (namespace, bytes) in reserved { shares[reservations.space(of: namespace)] = max(0, bytes) / shards }
        return shares
    }

    /// The maximum numbers of entries of the spaces in one shard.
    ///
    /// Over all shards they add up to the maximum, or to more where it is smaller than the number of spaces: each has one at least.
    func entries(ofShard shard: Int, among shards: Int) -> [Int] {
        let shares = shares(among: shards)
        guard entries < .max else { return shares.map { _ in .max } }
        let count = entries / shards + (shard < entries % shards ? 1 : 0)
        guard shares.count > 1, count > 0 else { return shares.map { _ in count } }
        let whole = Double(max(1, capacity / shards))
        var parts = shares.map { share in
            share == 0 ? 0 : max(1, min(count, Int(Double(count) * (Double(share) / whole))))
        }
        // The rest of the rounding.
        if shares[0] > 0 { parts[0] = max(1, count - parts.dropFirst().reduce(0, +)) }
        return parts
    }
}
