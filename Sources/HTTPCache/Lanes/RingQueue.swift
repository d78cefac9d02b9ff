/// A FIFO queue in a ring buffer that grows by doubling; a value type with amortised O(1) operations at both ends.
///
/// The queue is unbounded; its owner limits its size.
package struct RingQueue<Element> {
    private var slots: [Element?] = []
    private var head = 0
    package private(set) var count = 0

    /// Creates an empty queue.
    package init() {}

    /// Adds an element at the end.
    package mutating func append(_ element: Element) {
        if count == slots.count { grow() }
        slots[(head + count) & (slots.count - 1)] = element
        count += 1
    }

    /// Removes and returns the oldest element.
    package mutating func popFirst() -> Element? {
        guard count > 0 else { return nil }
        let element = slots[head].take()
        head = (head + 1) & (slots.count - 1)
        count -= 1
        return element
    }

    private mutating func grow() {
        // A power of two, so that a mask computes the slot.
        var larger = [Element?](repeating: nil, count: max(16, slots.count * 2))
        for offset in 0..<count {
            larger[offset] = slots[(head + offset) & (slots.count - 1)].take()
        }
        slots = larger
        head = 0
    }
}

extension RingQueue: Sendable where Element: Sendable {}
