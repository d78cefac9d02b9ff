/// A queue of slots, doubly linked through the nodes of a slab, newest first; sums up its slots' costs.
package struct SlotQueue: Sendable {
    /// The end of a chain.
    package static let none: Int32 = -1

    package private(set) var newest = none
    package private(set) var oldest = none
    /// Sum of the costs.
    package private(set) var bytes = 0

    /// Creates an empty queue.
    package init() {}

    /// Puts a slot that is in no queue at the newest end.
    package mutating func append(_ slot: Int32, in nodes: inout [SlotNode]) {
        nodes[Int(slot)].newer = Self.none
        nodes[Int(slot)].older = newest
        if newest == Self.none { oldest = slot } else { nodes[Int(newest)].newer = slot }
        newest = slot
        bytes += nodes[Int(slot)].cost
    }

    /// Takes out a slot of this queue.
    package mutating func remove(_ slot: Int32, in nodes: inout [SlotNode]) {
        let node = nodes[Int(slot)]
        if node.newer == Self.none { newest = node.older } else { nodes[Int(node.newer)].older = node.older }
        if node.older == Self.none { oldest = node.newer } else { nodes[Int(node.older)].newer = node.newer }
        bytes -= node.cost
    }

    /// Gives a slot of this queue another cost.
    package mutating func setCost(_ cost: Int, of slot: Int32, in nodes: inout [SlotNode]) {
        bytes += cost - nodes[Int(slot)].cost
        nodes[Int(slot)].cost = cost
    }
}

/// What a policy knows of a slot.
package struct SlotNode: Sendable {
    package fileprivate(set) var newer = SlotQueue.none
    package fileprivate(set) var older = SlotQueue.none
    /// Bytes.
    package fileprivate(set) var cost: Int
    /// Of the entry's key.
    package let fingerprint: UInt64
    /// Uses that count, as far as the policy counts.
    package var uses: UInt8 = 0
    /// The queue that the slot is in, by the policy's own numbering.
    package var queue: UInt8 = 0

    /// Describes an entry that is in no queue.
    package init(fingerprint: UInt64, cost: Int) {
        self.fingerprint = fingerprint
        self.cost = cost
    }
}

extension [SlotNode] {
    /// Sets a slot's node, and grows the slab up to it.
    package mutating func set(_ slot: Int32, _ node: SlotNode) {
        while count <= Int(slot) { append(node) }
        self[Int(slot)] = node
    }
}
