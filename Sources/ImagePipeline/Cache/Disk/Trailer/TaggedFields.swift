/// Values under numbers, one after the other: a tag of two bytes, a length of four, the value; all numbers big-endian.
///
/// A reader skips the tags that it does not know, so that releases can add fields without a new version. A tag that was once
/// released keeps its meaning.
struct TaggedFields {
    private(set) var bytes: [UInt8] = []

    /// Appends a value; the same tag again is another value of a list.
    mutating func put(_ tag: UInt16, _ value: [UInt8]) {
        bytes.append(contentsOf: BigEndian.bytes(UInt64(tag), 2))
        bytes.append(contentsOf: BigEndian.bytes(UInt64(value.count), 4))
        bytes.append(contentsOf: value)
    }

    mutating func put(_ tag: UInt16, _ value: CacheKey) { put(tag, value.bytes) }

    mutating func put(_ tag: UInt16, _ value: Int64) { put(tag, BigEndian.bytes(UInt64(bitPattern: value), 8)) }

    mutating func put(_ tag: UInt16, _ value: Int) { put(tag, Int64(value)) }

    /// Appends a text; nothing where there is none.
    mutating func put(_ tag: UInt16, _ value: String?) {
        if let value { put(tag, Array(value.utf8)) }
    }

    /// The fields of an encoding, by tag.
    struct Reader {
        private var values: [UInt16: [ArraySlice<UInt8>]] = [:]

        /// Takes an encoding apart; `nil` where it is cut off.
        init?(_ bytes: ArraySlice<UInt8>) {
            var rest = bytes
            while !rest.isEmpty {
                guard rest.count >= 6 else { return nil }
                let tag = UInt16(truncatingIfNeeded: BigEndian.number(rest.prefix(2)))
                let length = Int(BigEndian.number(rest.dropFirst(2).prefix(4)))
                rest = rest.dropFirst(6)
                guard rest.count >= length else { return nil }
                values[tag, default: []].append(rest.prefix(length))
                rest = rest.dropFirst(length)
            }
        }

        /// All values of a tag, in order.
        func all(_ tag: UInt16) -> [ArraySlice<UInt8>] { values[tag] ?? [] }

        /// The first value of a tag.
        func bytes(_ tag: UInt16) -> ArraySlice<UInt8>? { values[tag]?.first }

        /// A digest; `nil` where it is not there or has not 32 bytes.
        func key(_ tag: UInt16) -> CacheKey? { bytes(tag).flatMap { CacheKey(bytes: Array($0)) } }

        /// A number; `nil` where it is not there or has not eight bytes.
        func integer(_ tag: UInt16) -> Int64? {
            guard let bytes = bytes(tag), bytes.count == 8 else { return nil }
            return Int64(bitPattern: BigEndian.number(bytes))
        }

        /// A number that counts something; `nil` where it is not there or below zero.
        func count(_ tag: UInt16) -> Int? { integer(tag).flatMap { $0 < 0 ? nil : Int($0) } }

        /// A text; `nil` where it is not there.
        func text(_ tag: UInt16) -> String? { bytes(tag).map { String(decoding: $0, as: UTF8.self) } }
    }
}

/// Numbers as bytes, the most significant first.
enum BigEndian {
    /// The last `count` bytes of a number.
    static func bytes(_ number: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * (count - 1 - $0))) }
    }

    /// The number that up to eight bytes are.
    static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}
