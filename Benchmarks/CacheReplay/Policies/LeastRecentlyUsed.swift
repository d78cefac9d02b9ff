import HTTPCache

/// Least recently used, the baseline.
struct LeastRecentlyUsed: EvictionPolicy {
    private var nodes: [SlotNode] = []
    private var queue = SlotQueue()

    mutating func insert(_ slot: Int32, fingerprint: UInt64, cost: Int) {
        nodes.set(slot, SlotNode(fingerprint: fingerprint, cost: cost))
        queue.append(slot, in: &nodes)
    }

    mutating func use(_ slot: Int32) {
        queue.remove(slot, in: &nodes)
        queue.append(slot, in: &nodes)
    }

    mutating func replace(_ slot: Int32, cost: Int) { queue.setCost(cost, of: slot, in: &nodes) }

    mutating func remove(_ slot: Int32) { queue.remove(slot, in: &nodes) }

    mutating func evict() -> Int32? {
        guard queue.oldest != SlotQueue.none else { return nil }
        let slot = queue.oldest
        queue.remove(slot, in: &nodes)
        return slot
    }
}

/// First in, first out.
struct FirstInFirstOut: EvictionPolicy {
    private var order = LeastRecentlyUsed()

    mutating func insert(_ slot: Int32, fingerprint: UInt64, cost: Int) {
        order.insert(slot, fingerprint: fingerprint, cost: cost)
    }

    mutating func use(_ slot: Int32) {}

    mutating func replace(_ slot: Int32, cost: Int) { order.replace(slot, cost: cost) }

    mutating func remove(_ slot: Int32) { order.remove(slot) }

    mutating func evict() -> Int32? { order.evict() }
}
