/// Chooses which entry of a bounded cache to evict.
///
/// Works on slot numbers and costs, without keys or values.
///
/// Every operation is O(1), amortised, and allocates only when the slab grows. To change the policy, name another type in
/// `MemoryCache.Policy`; `Benchmarks/CacheReplay` compares policies.
@usableFromInline
package protocol EvictionPolicy: Sendable {
    /// Creates a policy without slots.
    init()
    /// Adds a new entry in `slot`; slots are dense and reused.
    ///
    /// - Parameters:
    ///   - fingerprint: of the entry's key, uniformly distributed; identifies the key after its eviction.
    ///   - cost: bytes.
    mutating func insert(_ slot: Int32, fingerprint: UInt64, cost: Int)
    /// Records a use of the entry in `slot`.
    mutating func use(_ slot: Int32)
    /// Changes the cost of the entry in `slot`, which keeps its rank.
    mutating func replace(_ slot: Int32, cost: Int)
    /// Removes the entry in `slot`, which the cache has dropped.
    mutating func remove(_ slot: Int32)
    /// Chooses the entry to evict and forgets its slot; `nil` when there is none.
    mutating func evict() -> Int32?
}

/// Simple, scalable, scan-resistant: three first-in-first-out queues (Yang et al., "FIFO queues are all you need for cache
/// eviction", SOSP 2023), with shares in bytes.
///
/// A new entry starts in a small queue with a tenth of the bytes. If it is not used there, it is evicted without touching the
/// main queue, and only its fingerprint is kept. It moves to the main queue if it is used in the small one, or comes back while
/// its fingerprint is kept. The oldest entry of the main queue is evicted unless it was used since, and gets one more round per
/// use. A use costs one small store, and none for an entry that was used often.
///
/// Own code, since no Swift package has an eviction policy with shares in bytes and hits as cheap as these. Another policy
/// replaces it by conforming to `EvictionPolicy`; `CacheReplay` (Benchmarks/README.md) compares their hit ratios.
@usableFromInline
package struct S3FIFO: EvictionPolicy {
    /// The small queue has one of this many parts of all bytes.
    private static let smallDivisor = 10
    /// The maximum number of uses counted.
    private static let mostUses: UInt8 = 3
    /// The uses that move an entry from the small queue to the main queue.
    private static let promotion: UInt8 = 1
    /// The maximum number of entries that one eviction gives another round; bounds the time under the lock.
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
    @usableFromInline package init() {}

    @usableFromInline package mutating func insert(_ slot: Int32, fingerprint: UInt64, cost: Int) {
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
    @usableFromInline package mutating func use(_ slot: Int32) {
        let uses = nodes[Int(slot)].uses
        if uses < Self.mostUses { nodes[Int(slot)].uses = uses + 1 }
    }

    @usableFromInline package mutating func replace(_ slot: Int32, cost: Int) {
        if nodes[Int(slot)].queue == Queue.main {
            main.setCost(cost, of: slot, in: &nodes)
        } else {
            small.setCost(cost, of: slot, in: &nodes)
        }
    }

    @usableFromInline package mutating func remove(_ slot: Int32) {
        entries -= 1
        if nodes[Int(slot)].queue == Queue.main {
            main.remove(slot, in: &nodes)
        } else {
            small.remove(slot, in: &nodes)
        }
    }

    @usableFromInline package mutating func evict() -> Int32? {
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

    /// Moves the small queue's oldest entry to the main queue if it was used, else evicts it and keeps its fingerprint.
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

    /// Gives the main queue's oldest entry another round if it was used, else evicts it.
    private mutating func reinsert(_ slot: Int32) -> Bool {
        guard nodes[Int(slot)].uses > 0 else { return false }
        nodes[Int(slot)].uses -= 1
        main.remove(slot, in: &nodes)
        main.append(slot, in: &nodes)
        return true
    }
}
