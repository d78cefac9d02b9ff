/// Simple, scalable, scan-resistant: three first-in-first-out queues (Yang et al., "FIFO queues are all you need for cache
/// eviction", SOSP 2023), with shares in bytes.
///
/// A new entry waits in a small queue, a tenth of the bytes; what is not asked for there again leaves without having
/// disturbed the main queue, and only its fingerprint is remembered: what comes back soon enough goes to the main queue at
/// once, as does what was asked for while it waited. The oldest of the main queue goes unless it was asked for since, which
/// buys it another round per use. A use is one small store, and none once it has been used often.
///
/// Own code, since no Swift package has an eviction policy with shares in bytes and hits as cheap as these. Another policy
/// replaces it by conforming to `EvictionPolicy`; `CacheReplay` (Benchmarks/README.md) compares their hit ratios.
package struct S3FIFO: EvictionPolicy {
    /// The small queue's part of all bytes is one of so many.
    private static let smallDivisor = 10
    /// Uses that count.
    private static let mostUses: UInt8 = 3
    /// Uses in the small queue that lead to the main queue.
    private static let promotion: UInt8 = 1
    /// Entries that one eviction gives another round: bounds the time under a cache's lock.
    private static let mostRounds = 256

    private enum Queue {
        static let small: UInt8 = 0
        static let main: UInt8 = 1
    }

    private var nodes: [SlotNode] = []
    private var small = SlotQueue()
    private var main = SlotQueue()
    private var entries = 0
    private(set) var ghosts = GhostTable()

    /// Creates a policy without slots.
    package init() {}

    package mutating func insert(_ slot: Int32, fingerprint: UInt64, cost: Int) {
        var node = SlotNode(fingerprint: fingerprint, cost: cost)
        entries += 1
        // As many ghosts as entries.
        ghosts.reserve(entries)
        let isBack = ghosts.remove(fingerprint, limit: max(entries, 64))
        node.queue = isBack ? Queue.main : Queue.small
        nodes.set(slot, node)
        if isBack { main.append(slot, in: &nodes) } else { small.append(slot, in: &nodes) }
    }

    @inline(__always)
    package mutating func use(_ slot: Int32) {
        let uses = nodes[Int(slot)].uses
        if uses < Self.mostUses { nodes[Int(slot)].uses = uses + 1 }
    }

    package mutating func replace(_ slot: Int32, cost: Int) {
        if nodes[Int(slot)].queue == Queue.main {
            main.setCost(cost, of: slot, in: &nodes)
        } else {
            small.setCost(cost, of: slot, in: &nodes)
        }
    }

    package mutating func remove(_ slot: Int32) {
        entries -= 1
        if nodes[Int(slot)].queue == Queue.main {
            main.remove(slot, in: &nodes)
        } else {
            small.remove(slot, in: &nodes)
        }
    }

    package mutating func evict() -> Int32? {
        var rounds = 0
        while entries > 0 {
            let isSmallFull = small.bytes > (small.bytes + main.bytes) / Self.smallDivisor
            let isFromSmall = small.oldest != SlotQueue.none && (isSmallFull || main.oldest == SlotQueue.none)
            let slot = isFromSmall ? small.oldest : main.oldest
            let stays = isFromSmall ? promote(slot) : reinsert(slot)
            if stays {
                rounds += 1
                if rounds < Self.mostRounds { continue }
            }
            remove(slot)
            return slot
        }
        return nil
    }

    /// Moves the small queue's oldest to the main queue if it was used, else remembers that it went.
    private mutating func promote(_ slot: Int32) -> Bool {
        guard nodes[Int(slot)].uses >= Self.promotion else {
            ghosts.insert(nodes[Int(slot)].fingerprint)
            return false
        }
        small.remove(slot, in: &nodes)
        nodes[Int(slot)].queue = Queue.main
        nodes[Int(slot)].uses = 0
        main.append(slot, in: &nodes)
        return true
    }

    /// Gives the main queue's oldest another round for a use.
    private mutating func reinsert(_ slot: Int32) -> Bool {
        guard nodes[Int(slot)].uses > 0 else { return false }
        nodes[Int(slot)].uses -= 1
        main.remove(slot, in: &nodes)
        main.append(slot, in: &nodes)
        return true
    }
}
