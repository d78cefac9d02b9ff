/// True least recently used: a doubly linked list through an array, newest first.
struct LeastRecentlyUsed: EvictionPolicy {
    private struct Link {
        var newer: Int32
        var older: Int32
    }

    private static let none: Int32 = -1

    private var links: [Link] = []
    private var newest = none
    private var oldest = none

    init() {}

    mutating func insert(_ slot: Int32) {
        let empty = Link(newer: Self.none, older: Self.none)
        while links.count <= Int(slot) { links.append(empty) }
        linkNewest(slot)
    }

    mutating func use(_ slot: Int32) {
        guard slot != newest else { return }
        unlink(slot)
        linkNewest(slot)
    }

    mutating func remove(_ slot: Int32) {
        unlink(slot)
    }

    mutating func victim() -> Int32? { oldest == Self.none ? nil : oldest }

    private mutating func linkNewest(_ slot: Int32) {
        links[Int(slot)] = Link(newer: Self.none, older: newest)
        if newest == Self.none { oldest = slot } else { links[Int(newest)].newer = slot }
        newest = slot
    }

    private mutating func unlink(_ slot: Int32) {
        let link = links[Int(slot)]
        if link.newer == Self.none { newest = link.older } else { links[Int(link.newer)].older = link.older }
        if link.older == Self.none { oldest = link.newer } else { links[Int(link.older)].newer = link.newer }
    }
}
