/// A hash table from field names, in any case, to known fields.
///
/// Built once with the parser. A lookup hashes the name, compares it with candidates, and allocates nothing.
struct KnownFieldTable: Sendable {
    private struct Entry {
        var field: KnownField
        var start: UInt16
        var count: UInt16
    }

    /// The slots, with open addressing; a power of two, at least twice the number of fields.
    private let entries: [Entry?]
    private let names: [UInt8]
    private let mask: Int

    init() {
        let size = 128
        var entries = [Entry?](repeating: nil, count: size)
        var names: [UInt8] = []
        mask = size - 1
        for field in KnownField.allCases {
            let name = Array(field.name.utf8)
            var place = Self.hash(name.span, 0..<name.count) & mask
            while entries[place] != nil { place = (place + 1) & mask }
            entries[place] = Entry(field: field, start: UInt16(names.count), count: UInt16(name.count))
            names += name
        }
        self.entries = entries
        self.names = names
    }

    /// The known field with a name, which must be valid.
    func find(_ bytes: Span<UInt8>, _ range: Range<Int>) -> KnownField? {
        var place = Self.hash(bytes, range) & mask
        while let entry = entries[place] {
            if Int(entry.count) == range.count, matches(entry, bytes, range.lowerBound) { return entry.field }
            place = (place + 1) & mask
        }
        return nil
    }

    private func matches(_ entry: Entry, _ bytes: Span<UInt8>, _ start: Int) -> Bool {
        let base = Int(entry.start)
        // Setting bit 5 folds only letters and `-` to letters and `-` among token characters.
        for offset in 0..<Int(entry.count) where names[base + offset] != bytes[start + offset] | 0x20 { return false }
        return true
    }

    @inline(__always)
    private static func hash(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int {
        guard !range.isEmpty else { return 0 }
        let first = Int(bytes[range.lowerBound] | 0x20)
        let middle = Int(bytes[range.lowerBound + range.count / 2] | 0x20)
        let last = Int(bytes[range.upperBound - 1] | 0x20)
        return range.count &* 7 &+ first &* 5 &+ middle &* 31 &+ last &* 3
    }
}
