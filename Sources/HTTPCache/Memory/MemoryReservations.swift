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
