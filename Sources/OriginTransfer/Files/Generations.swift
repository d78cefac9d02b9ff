/// A bounded table that forgets what has long not been asked for: when its younger generation is full, that becomes the older one,
/// and what was the older one goes.
struct Generations<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// The most entries of a generation; there are two.
    let capacity: Int
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// A value, which counts as used when it is looked for.
    ///
    /// Setting `nil` changes nothing.
    subscript(key: Key) -> Value? {
        mutating get {
            if let value = young[key] { return value }
            guard let value = old[key] else { return nil }
            keep(value, for: key)
            return value
        }
        set {
            if let newValue { keep(newValue, for: key) }
        }
    }

    private mutating func keep(_ value: Value, for key: Key) {
        if young.count >= capacity, young[key] == nil {
            old = young
            young = [:]
        }
        young[key] = value
    }
}
