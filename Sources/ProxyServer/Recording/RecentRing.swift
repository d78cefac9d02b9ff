/// The latest elements, at most as many as its capacity; the oldest is evicted to make room.
struct RecentRing<Element> {
    private var elements: [Element] = []
    private var oldest = 0
    private let capacity: Int

    /// Creates an empty ring; with capacity 0 it stays empty.
    init(capacity: Int) { self.capacity = max(0, capacity) }

    /// Adds an element.
    mutating func append(_ element: Element) {
        if elements.count < capacity {
            elements.append(element)
        } else if capacity > 0 {
            elements[oldest] = element
            oldest = (oldest + 1) % capacity
        }
    }

    /// The elements, oldest first.
    var ordered: [Element] { Array(elements[oldest...] + elements[..<oldest]) }
}

extension RecentRing: Sendable where Element: Sendable {}
