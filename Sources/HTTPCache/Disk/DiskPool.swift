/// A part of the disk cache that is evicted by itself: one class, of one namespace with a quota of its own or of all others together.
struct DiskPool: Hashable, Sendable {
    var diskClass: DiskClass
    /// `nil` for all namespaces without a quota of their own, the unnamed one among them.
    var namespace: String?
}

extension DiskLimits {
    /// The quota that a namespace has for itself, in bytes.
    private func reservation(_ diskClass: DiskClass, _ namespace: String) -> Int? {
        switch diskClass {
        case .originals: reserved[namespace]?.originals
        case .variants: reserved[namespace]?.variants
        }
    }

    /// The namespaces with a quota of their own.
    private func reservedNamespaces(_ diskClass: DiskClass) -> [String] {
        reserved.keys.filter { reservation(diskClass, $0) != nil }
    }

    /// All pools.
    var pools: [DiskPool] {
        DiskClass.allCases.flatMap { diskClass in
            [DiskPool(diskClass: diskClass)]
                + reservedNamespaces(diskClass).map { DiskPool(diskClass: diskClass, namespace: $0) }
        }
    }

    /// The pool of a namespace's entries.
    func pool(_ diskClass: DiskClass, of namespace: String) -> DiskPool {
        let hasOwn = reservation(diskClass, namespace) != nil
        return DiskPool(diskClass: diskClass, namespace: hasOwn ? namespace : nil)
    }

    /// The quota of a pool in bytes; the shared one has what the others leave.
    func quota(of pool: DiskPool) -> Int {
        if let namespace = pool.namespace { return reservation(pool.diskClass, namespace) ?? 0 }
        let others = reservedNamespaces(pool.diskClass).reduce(0) { $0 + (reservation(pool.diskClass, $1) ?? 0) }
        return max(0, self[pool.diskClass] - others)
    }

    /// The quota of the pool of a namespace's entries, in bytes.
    func quota(of diskClass: DiskClass, in namespace: String) -> Int { quota(of: pool(diskClass, of: namespace)) }

    /// The namespaces in a pool, among those that have entries.
    func namespaces(in pool: DiskPool, among found: Set<String>) -> Set<String> {
        if let namespace = pool.namespace { return [namespace] }
        return found.union([""]).subtracting(reservedNamespaces(pool.diskClass))
    }

    /// The entries of a pool.
    func count(of pool: DiskPool, in totals: DiskTotals) -> DiskTotals.Count {
        if let namespace = pool.namespace { return totals[pool.diskClass, in: namespace] }
        var count = totals[pool.diskClass]
        for namespace in reservedNamespaces(pool.diskClass) {
            let part = totals[pool.diskClass, in: namespace]
            count.entries -= part.entries
            count.bytes -= part.bytes
        }
        return count
    }
}
