/// Offline policies that know all future requests.
///
/// With object sizes the optimum is NP-hard; these approximate it.
struct Optimum {
    /// Which object is evicted.
    enum Rule {
        /// The one whose next use is farthest (Belady's MIN): near the optimum for bytes.
        case farthest
        /// The one with the largest product of size and time to the next use among 64 random ones: near the optimum for hits.
        case farthestBySize
    }

    private static let samples = 64

    let rule: Rule
    let capacity: Int
    private var kept: [Int32] = []
    private var place: [Int32: Int] = [:]
    private var next: [Int] = []
    private var bytes = 0
    private var heap = Heap()
    private var random = SplitMix(state: 7)

    init(_ rule: Rule, capacity: Int) {
        self.rule = rule
        self.capacity = capacity
    }

    mutating func replay(_ trace: Trace) -> Replay {
        var result = Replay()
        // The time of the next request for the same object, for each request.
        var following = [Int](repeating: .max, count: trace.requests.count)
        var last = [Int](repeating: .max, count: trace.sizes.count)
        for time in trace.requests.indices.reversed() {
            let object = Int(trace.requests[time])
            following[time] = last[object]
            last[object] = time
        }
        next = [Int](repeating: .max, count: trace.sizes.count)
        for (time, object) in trace.requests.enumerated() {
            let size = trace.sizes[Int(object)]
            let isHit = place[object] != nil
            result.count(isHit: isHit, bytes: size)
            next[Int(object)] = following[time]
            if !isHit { add(object, size) }
            if rule == .farthest { heap.push(following[time], object) }
            // The new object is a candidate for eviction, too; one that is not requested again is never kept.
            while bytes > capacity { drop(victim(time, trace.sizes), trace.sizes) }
        }
        return result
    }

    private mutating func add(_ object: Int32, _ size: Int) {
        place[object] = kept.count
        kept.append(object)
        bytes += size
    }

    private mutating func drop(_ object: Int32, _ sizes: [Int]) {
        guard let index = place.removeValue(forKey: object), let moved = kept.popLast() else { return }
        if moved != object {
            kept[index] = moved
            place[moved] = index
        }
        bytes -= sizes[Int(object)]
    }

    private mutating func victim(_ time: Int, _ sizes: [Int]) -> Int32 {
        if rule == .farthest {
            while let (use, object) = heap.pop() {
                if next[Int(object)] == use, place[object] != nil { return object }
            }
            return kept[0]
        }
        var best = kept[kept.count - 1]
        var worth = -1.0
        for sample in 0..<Self.samples {
            let object = sample == 0 ? best : kept[Int(random.next() % UInt64(kept.count))]
            let wait = next[Int(object)] == .max ? 1e15 : Double(next[Int(object)] - time)
            if wait * Double(sizes[Int(object)]) > worth {
                worth = wait * Double(sizes[Int(object)])
                best = object
            }
        }
        return best
    }
}

/// A binary max-heap.
private struct Heap {
    private var items: [(use: Int, object: Int32)] = []

    mutating func push(_ use: Int, _ object: Int32) {
        items.append((use, object))
        var index = items.count - 1
        while index > 0, items[(index - 1) / 2].use < items[index].use {
            items.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    mutating func pop() -> (Int, Int32)? {
        guard let first = items.first else { return nil }
        items.swapAt(0, items.count - 1)
        items.removeLast()
        var index = 0
        while true {
            var largest = index
            for child in [2 * index + 1, 2 * index + 2] where child < items.count {
                if items[child].use > items[largest].use { largest = child }
            }
            guard largest != index else { return (first.use, first.object) }
            items.swapAt(index, largest)
            index = largest
        }
    }
}
