import LinuxSystem

/// A list of tagged values, each encoded as a 2-byte tag, a 4-byte length and the value; all numbers are big-endian.
///
/// Readers skip unknown tags, so that releases can add fields without a new version. Never change the meaning of a released tag.
package struct TaggedFields: Hashable, Sendable {
    package private(set) var bytes: [UInt8] = []

    /// Creates an empty list.
    package init() {}

    /// Appends a value; repeat a tag for a list.
    package mutating func put(_ tag: UInt16, _ value: some Collection<UInt8>) {
        bytes.reserveCapacity(bytes.count + 6 + value.count)
        BigEndian.append(UInt64(tag), 2, to: &bytes)
        BigEndian.append(UInt64(value.count), 4, to: &bytes)
        bytes.append(contentsOf: value)
    }

    package mutating func put(_ tag: UInt16, _ value: Int64) { put(tag, BigEndian.bytes(UInt64(bitPattern: value), 8)) }

    package mutating func put(_ tag: UInt16, _ value: Int) { put(tag, Int64(value)) }

    /// Appends a text unless it is `nil`.
    package mutating func put(_ tag: UInt16, _ value: String?) {
        if let value { put(tag, value.utf8) }
    }

    /// Appends the fields of another encoding.
    mutating func append(_ other: TaggedFields) { bytes += other.bytes }

    /// Calls `body` with each field of an encoding, in order.
    ///
    /// - Returns: false if the encoding is truncated or `body` returned false.
    package static func forEach(in bytes: ArraySlice<UInt8>, _ body: (UInt16, ArraySlice<UInt8>) -> Bool) -> Bool {
        var start = bytes.startIndex
        while start < bytes.endIndex {
            guard bytes.endIndex - start >= 6 else { return false }
            let tag = UInt16(truncatingIfNeeded: BigEndian.number(bytes[start..<start + 2]))
            let length = Int(BigEndian.number(bytes[start + 2..<start + 6]))
            start += 6
            guard bytes.endIndex - start >= length else { return false }
            guard body(tag, bytes[start..<start + length]) else { return false }
            start += length
        }
        return true
    }

    /// Calls `body` with the place of each field's value in a file that contains an encoding, in order.
    ///
    /// - Returns: false if the encoding is truncated or cannot be read, or `body` returned false.
    static func forEach(in file: SharedDescriptor, _ range: Range<Int>, _ body: (UInt16, Range<Int>) -> Bool) -> Bool {
        var start = range.lowerBound
        while start < range.upperBound {
            guard range.upperBound - start >= 6, let head = file.read(start..<start + 6) else { return false }
            let length = Int(BigEndian.number(head[2...]))
            start += 6
            guard range.upperBound - start >= length else { return false }
            guard body(UInt16(truncatingIfNeeded: BigEndian.number(head[..<2])), start..<start + length) else {
                return false
            }
            start += length
        }
        return true
    }

    /// Returns an encoding with the fields of an older one added whose tags it lacks; unchanged if either is truncated.
    static func completing(_ new: [UInt8], with old: [UInt8]) -> [UInt8] {
        guard new != old else { return new }
        var tags: Set<UInt16> = []
        var missing = TaggedFields()
        let areWhole =
            forEach(in: new[...]) { tag, _ in
                tags.insert(tag)
                return true
            }
            && forEach(in: old[...]) { tag, value in
                if !tags.contains(tag) { missing.put(tag, value) }
                return true
            }
        return areWhole ? new + missing.bytes : new
    }

    /// The fields of an encoding, by tag.
    package struct Reader {
        private var values: [UInt16: [ArraySlice<UInt8>]] = [:]

        /// Parses an encoding; `nil` if it is truncated.
        package init?(_ bytes: ArraySlice<UInt8>) {
            var values: [UInt16: [ArraySlice<UInt8>]] = [:]
            let isWhole = TaggedFields.forEach(in: bytes) { tag, value in
                values[tag, default: []].append(value)
                return true
            }
            guard isWhole else { return nil }
            self.values = values
        }

        /// All values of a tag, in order.
        package func all(_ tag: UInt16) -> [ArraySlice<UInt8>] { values[tag] ?? [] }

        /// The first value of a tag.
        package func bytes(_ tag: UInt16) -> ArraySlice<UInt8>? { values[tag]?.first }

        /// A number; `nil` if the field is missing or not eight bytes long.
        package func integer(_ tag: UInt16) -> Int64? { bytes(tag).flatMap { Int64(taggedBytes: $0) } }

        /// A count; `nil` if the field is missing or negative.
        package func count(_ tag: UInt16) -> Int? { bytes(tag).flatMap { Int(taggedBytes: $0) } }

        /// A text; `nil` if the field is missing.
        package func text(_ tag: UInt16) -> String? { bytes(tag).map { String(decoding: $0, as: UTF8.self) } }
    }
}

/// Big-endian numbers.
enum BigEndian {
    /// Appends the last `count` bytes of a number.
    static func append(_ number: UInt64, _ count: Int, to bytes: inout [UInt8]) {
        for place in (0..<count).reversed() { bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(8 * place))) }
    }

    /// The last `count` bytes of a number.
    static func bytes(_ number: UInt64, _ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        append(number, count, to: &bytes)
        return bytes
    }

    /// The number encoded by up to eight bytes.
    static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}

/// A value that a tagged field can hold.
package protocol TaggedValue {
    var taggedBytes: [UInt8] { get }
    /// Decodes a value; `nil` if the bytes are invalid.
    init?(taggedBytes: ArraySlice<UInt8>)
}

extension Int64: TaggedValue {
    package var taggedBytes: [UInt8] { BigEndian.bytes(UInt64(bitPattern: self), 8) }

    package init?(taggedBytes: ArraySlice<UInt8>) {
        guard taggedBytes.count == 8 else { return nil }
        self.init(bitPattern: BigEndian.number(taggedBytes))
    }
}

/// A count; never negative.
extension Int: TaggedValue {
    package var taggedBytes: [UInt8] { Int64(self).taggedBytes }

    package init?(taggedBytes: ArraySlice<UInt8>) {
        guard let number = Int64(taggedBytes: taggedBytes), number >= 0 else { return nil }
        self.init(number)
    }
}

extension Bool: TaggedValue {
    package var taggedBytes: [UInt8] { Int64(self ? 1 : 0).taggedBytes }

    package init?(taggedBytes: ArraySlice<UInt8>) {
        guard let number = Int64(taggedBytes: taggedBytes) else { return nil }
        self = number == 1
    }
}

extension String: TaggedValue {
    package var taggedBytes: [UInt8] { Array(utf8) }

    package init?(taggedBytes: ArraySlice<UInt8>) { self.init(decoding: taggedBytes, as: UTF8.self) }
}

extension CacheKey: TaggedValue {
    package var taggedBytes: [UInt8] { bytes }

    package init?(taggedBytes: ArraySlice<UInt8>) { self.init(bytes: Array(taggedBytes)) }
}
