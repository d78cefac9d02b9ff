/// Events in the order of a simulated clock, one after another on the calling thread.
final class EventQueue {
    private struct Event {
        let time: Int64
        /// Events of the same time happen in the order of their creation.
        let order: Int
        let action: () -> Void

        static func < (one: Event, other: Event) -> Bool {
            one.time != other.time ? one.time < other.time : one.order < other.order
        }
    }

    /// Nanoseconds since the beginning.
    private(set) var now: Int64 = 0
    private var heap: [Event] = []
    private var created = 0

    /// Lets something happen later.
    func after(_ delay: Int64, _ action: @escaping () -> Void) {
        created += 1
        heap.append(Event(time: now + max(delay, 0), order: created, action: action))
        var index = heap.count - 1
        while index > 0, heap[index] < heap[(index - 1) / 2] {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    /// Lets everything happen until a time.
    func run(until end: Int64) {
        while let first = heap.first, first.time <= end {
            removeFirst()
            now = first.time
            first.action()
        }
    }

    /// Forgets what has not happened.
    func end() { heap = [] }

    private func removeFirst() {
        heap[0] = heap[heap.count - 1]
        heap.removeLast()
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2]
            where child < heap.count && heap[child] < heap[least] {
                least = child
            }
            if least == index { return }
            heap.swapAt(index, least)
            index = least
        }
    }
}
