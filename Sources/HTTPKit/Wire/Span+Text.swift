import Glibc

/// Comparing and copying text in request bytes.
extension Span<UInt8> {
    /// Whether the bytes at `range` are exactly `text` (ASCII).
    package func equals(_ range: Range<Int>, _ text: StaticString) -> Bool {
        guard range.count == text.utf8CodeUnitCount, range.upperBound <= count else { return false }
        for offset in 0..<range.count {
            guard unsafe self[range.lowerBound + offset] == text.utf8Start[offset] else { return false }
        }
        return true
    }

    /// Whether the bytes at `range` equal `text` (lower-case ASCII letters, digits, `-`), ignoring case.
    package func equalsIgnoringCase(_ range: Range<Int>, _ text: StaticString) -> Bool {
        guard range.count == text.utf8CodeUnitCount, range.upperBound <= count else { return false }
        for offset in 0..<range.count {
            let byte = self[range.lowerBound + offset]
            let folded = byte &- 0x41 < 26 ? byte | 0x20 : byte
            guard unsafe folded == text.utf8Start[offset] else { return false }
        }
        return true
    }

    /// Copies the bytes at `range`.
    package func copy(_ range: Range<Int>) -> [UInt8] {
        guard !range.isEmpty else { return [] }
        return unsafe extracting(range).withUnsafeBufferPointer { unsafe Array($0) }
    }

    /// Decodes the bytes at `range` as UTF-8, repairing errors; for logs and tests, never on a hot path.
    package func text(_ range: Range<Int>) -> String { String(decoding: copy(range), as: UTF8.self) }

    /// The first LF at or after `start`.
    func firstLineFeed(from start: Int) -> Int? {
        guard start < count else { return nil }
        return unsafe withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress, let found = unsafe memchr(base + start, 0x0A, buffer.count - start)
            else {
                return nil
            }
            return unsafe UnsafeRawPointer(found) - UnsafeRawPointer(base)
        }
    }

    /// Whether all bytes at `range` are valid in a field value; checks eight bytes at a time.
    func isFieldValue(_ range: Range<Int>) -> Bool {
        var index = range.lowerBound
        let raw = unsafe bytes
        while index + 8 <= range.upperBound {
            let word = unsafe raw.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
            // A byte below 0x20 or equal to 0x7F sets its high bit in one of these; a byte from 0x80 never does.
            let below = (word &- 0x2020_2020_2020_2020) & ~word
            let flipped = word ^ 0x7F7F_7F7F_7F7F_7F7F
            let delete = (flipped &- 0x0101_0101_0101_0101) & ~flipped
            if (below | delete) & 0x8080_8080_8080_8080 != 0 {
                for offset in index..<index + 8 where !ByteClass.isValue(self[offset]) { return false }
            }
            index += 8
        }
        while index < range.upperBound {
            if !ByteClass.isValue(self[index]) { return false }
            index += 1
        }
        return true
    }
}
