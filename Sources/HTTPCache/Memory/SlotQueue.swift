/// A queue of slots, doubly linked through the nodes of a slab, newest first; maintains the sum of their costs.
package struct SlotQueue: Sendable {
    /// The end of a chain.
    package static let none: Int32 = -1

    package private(set) var newest = none
    package private(set) var oldest = none
    /// Sum of the costs.
    package private(set) var bytes = 0

    /// Creates an empty queue.
    package init() {}

    /// Adds a slot that is in no queue at the newest end.
    package mutating func append(_ slot: Int32, in nodes: inout [SlotNode]) {
        nodes[Int(slot)].newer = Self.none
        nodes[Int(slot)].older = newest
        if newest == Self.none { oldest = slot } else { nodes[Int(newest)].newer = slot }
        newest = slot
        bytes += nodes[Int(slot)].cost
    }

    /// Removes a slot of this queue.
    package mutating func remove(_ slot: Int32, in nodes: inout [SlotNode]) {
        let node = nodes[Int(slot)]
        if node.newer == Self.none { newest = node.older } else { nodes[Int(node.newer)].older = node.older }
        if node.older == Self.none { oldest = node.newer } else { nodes[Int(node.older)].newer = node.newer }
        bytes -= node.cost
    }

    /// Changes the cost of a slot of this queue.
    package mutating func setCost(_ cost: Int, of slot: Int32, in nodes: inout [SlotNode]) {
        bytes += cost - nodes[Int(slot)].cost
        nodes[Int(slot)].cost = cost
    }
}

/// A policy's state of a slot.
package struct SlotNode: Sendable {
    package fileprivate(set) var newer = SlotQueue.none
    package fileprivate(set) var older = SlotQueue.none
    /// Bytes.
    package fileprivate(set) var cost: Int
    /// Of the entry's key.
    package let fingerprint: UInt64
    /// Uses, up to the policy's limit.
    package var uses: UInt8 = 0
    /// The slot's queue, in the policy's own numbering.
    package var queue: UInt8 = 0

    /// Creates the node of an entry that is in no queue.
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
