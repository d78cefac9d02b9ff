/// A dictionary of large values, each in a box of its own.
///
/// A dictionary has room for up to twice its elements, and for both tables while it grows; with values of 300 bytes, most of its
/// memory would be unused slots.
struct BoxedTable<Key: Hashable & Sendable, Value: Sendable>: Sendable, Sequence {
    /// Immutable, so that it can be shared by copies of the table.
    private final class Box: Sendable {
        let value: Value

        init(_ value: Value) { self.value = value }
    }

    private var boxes: [Key: Box] = [:]

    /// The number of entries.
    var count: Int { boxes.count }
    /// The values, in no order.
    var values: [Value] { boxes.values.map(\.value) }

    subscript(key: Key) -> Value? {
        get { boxes[key]?.value }
        set { boxes[key] = newValue.map(Box.init) }
    }

    /// Removes and returns the value of a key.
    mutating func removeValue(forKey key: Key) -> Value? { boxes.removeValue(forKey: key)?.value }

    func makeIterator() -> AnyIterator<(Key, Value)> {
        var rest = boxes.makeIterator()
        return AnyIterator { rest.next().map { ($0.key, $0.value.value) } }
    }
}
