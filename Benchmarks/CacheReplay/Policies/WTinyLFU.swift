import HTTPCache

/// Window TinyLFU (Einziger et al., "TinyLFU: a highly efficient cache admission policy", ACM ToS 2017), with shares in bytes.
///
/// New entries enter an LRU window of one percent. An entry that leaves it is admitted to the main part only if a sketch of all
/// requests counts it more often than the entry it would evict. The main part is a segmented LRU: an entry used on probation
/// becomes protected, up to four fifths of the part.
struct WTinyLFU: EvictionPolicy {
    private enum Queue {
        static let window: UInt8 = 0
        static let probation: UInt8 = 1
        static let protected: UInt8 = 2
    }

    private var nodes: [SlotNode] = []
    private var queues = [SlotQueue(), SlotQueue(), SlotQueue()]
    private var entries = 0
    /// Whether anything has been evicted yet.
    private var isFull = false
    private var sketch = FrequencySketch()

    private var bytes: Int { queues.reduce(0) { $0 + $1.bytes } }

    mutating func insert(_ slot: Int32, fingerprint: UInt64, cost: Int) {
        entries += 1
        sketch.reserve(entries)
        sketch.add(fingerprint)
        nodes.set(slot, SlotNode(fingerprint: fingerprint, cost: cost))
        queues[Int(Queue.window)].append(slot, in: &nodes)
        // While there is room, the main part admits everything.
        while !isFull, queues[Int(Queue.window)].bytes > bytes / 100, queues[Int(Queue.window)].oldest != slot {
            move(queues[Int(Queue.window)].oldest, to: Queue.probation)
        }
    }

    mutating func use(_ slot: Int32) {
        sketch.add(nodes[Int(slot)].fingerprint)
        let queue = nodes[Int(slot)].queue
        move(slot, to: queue == Queue.window ? Queue.window : Queue.protected)
        let main = queues[Int(Queue.probation)].bytes + queues[Int(Queue.protected)].bytes
        while queues[Int(Queue.protected)].bytes > main / 5 * 4 {
            move(queues[Int(Queue.protected)].oldest, to: Queue.probation)
        }
    }

    mutating func replace(_ slot: Int32, cost: Int) {
        queues[Int(nodes[Int(slot)].queue)].setCost(cost, of: slot, in: &nodes)
    }

    mutating func remove(_ slot: Int32) {
        entries -= 1
        queues[Int(nodes[Int(slot)].queue)].remove(slot, in: &nodes)
    }

    mutating func evict() -> Int32? {
        isFull = true
        let candidate = queues[Int(Queue.window)].oldest
        let probation = queues[Int(Queue.probation)].oldest
        let victim = probation == SlotQueue.none ? queues[Int(Queue.protected)].oldest : probation
        guard victim != SlotQueue.none else { return take(candidate) }
        guard candidate != SlotQueue.none, queues[Int(Queue.window)].bytes > bytes / 100 else { return take(victim) }
        guard isHotter(candidate, than: victim) else { return take(candidate) }
        move(candidate, to: Queue.probation)
        return take(victim)
    }

    private func isHotter(_ candidate: Int32, than victim: Int32) -> Bool {
        sketch.count(nodes[Int(candidate)].fingerprint) > sketch.count(nodes[Int(victim)].fingerprint)
    }

    private mutating func take(_ slot: Int32) -> Int32? {
        guard slot != SlotQueue.none else { return nil }
        remove(slot)
        return slot
    }

    private mutating func move(_ slot: Int32, to queue: UInt8) {
        queues[Int(nodes[Int(slot)].queue)].remove(slot, in: &nodes)
        nodes[Int(slot)].queue = queue
        queues[Int(queue)].append(slot, in: &nodes)
    }
}

/// A count-min sketch of recent requests per fingerprint: counts up to 15, never underestimates, and halves with age.
private struct FrequencySketch {
    private static let rows: [UInt64] = [
        0xC3A5_C85C_97CB_3127, 0xB492_B66F_BE98_F273, 0x9AE1_6A3B_2F90_404F, 0xCBF2_9CE4_8422_2325,
    ]
    private var counters = [UInt8](repeating: 0, count: 256)
    private var additions = 0

    mutating func reserve(_ entries: Int) {
        // In a table twice as large a counter stays at its index, or moves by half the new size.
        while counters.count < entries * 16 { counters += counters }
    }

    mutating func add(_ fingerprint: UInt64) {
        for row in Self.rows {
            let place = place(fingerprint, row)
            if counters[place] < 15 { counters[place] += 1 }
        }
        additions += 1
        guard additions >= counters.count / 16 * 10 else { return }
        additions /= 2
        for index in counters.indices { counters[index] >>= 1 }
    }

    func count(_ fingerprint: UInt64) -> UInt8 { Self.rows.map { counters[place(fingerprint, $0)] }.min() ?? 0 }

    private func place(_ fingerprint: UInt64, _ row: UInt64) -> Int {
        let mixed = (fingerprint ^ row) &* row
        return Int(truncatingIfNeeded: (mixed ^ mixed >> 32) & UInt64(counters.count - 1))
    }
}
