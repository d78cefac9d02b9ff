/// Which node owns which key: rendezvous hashing (highest random weight; Thaler and Ravishankar, 1998).
///
/// Each node has a weight for each key, and the node with the highest one owns it. All nodes with equal lists agree; the
/// order of a list has no effect. A node that joins takes its share from all others, and one that leaves gives its keys to those that are
/// next in rank; no other key moves.
package struct Placement: Hashable, Sendable {
    /// The nodes' names, sorted.
    package let names: [String]
    private let seeds: [UInt64]

    /// Creates a placement; the order of the names and repetitions have no effect.
    package init(_ names: some Sequence<String>) {
        self.names = Set(names).sorted()
        seeds = self.names.map { name in
            // FNV-1a, the same on every machine and in every release.
            Self.mix(name.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 })
        }
    }

    /// The index of a key's owner among the permitted nodes; `nil` if there is none.
    ///
    /// - Parameters:
    ///   - key: 64 bits of the key's digest.
    ///   - isPermitted: whether a node may own the key; the next one in rank owns it otherwise.
    package func owner(of key: UInt64, where isPermitted: (Int) -> Bool = { _ in true }) -> Int? {
        var best: (index: Int, weight: UInt64)?
        for (index, seed) in seeds.enumerated() {
            let weight = Self.mix(key ^ seed)
            // Of equal weights, the first name's wins.
            if weight > best?.weight ?? 0 || best == nil, isPermitted(index) { best = (index, weight) }
        }
        return best?.index
    }

    /// A bijection of 64 bits in which each bit depends on all (the finaliser of SplitMix64).
    private static func mix(_ number: UInt64) -> UInt64 {
        var number = number
        number = (number ^ number >> 30) &* 0xBF58_476D_1CE4_E5B9
        number = (number ^ number >> 27) &* 0x94D0_49BB_1331_11EB
        return number ^ number >> 31
    }
}
