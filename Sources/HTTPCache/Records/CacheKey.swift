import CCrypto
import HTTPSemantics

/// A SHA-256 digest that identifies a cache entry or a body.
@usableFromInline
package struct CacheKey: Hashable, Sendable, CustomStringConvertible {
    /// The digest as four big-endian 64-bit integers.
    @usableFromInline package let words: (UInt64, UInt64, UInt64, UInt64)

    /// Hashes bytes.
    package init(hashing bytes: [UInt8]) {
        var digest = [UInt8](repeating: 0, count: 32)
        var length: UInt32 = 0
        unsafe bytes.withUnsafeBufferPointer { bytes in
            unsafe digest.withUnsafeMutableBufferPointer { digest in
                _ = unsafe EVP_Digest(bytes.baseAddress, bytes.count, digest.baseAddress, &length, EVP_sha256(), nil)
            }
        }
        self.init(unchecked: digest)
    }

    /// Hashes a string's UTF-8 bytes.
    package init(hashing text: String) {
        self.init(hashing: Array(text.utf8))
    }

    /// Creates a key from a stored digest; returns `nil` unless it has 32 bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        self.init(unchecked: bytes)
    }

    private init(unchecked bytes: [UInt8]) {
        func word(_ start: Int) -> UInt64 {
            bytes[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) }
        }
        words = (word(0), word(8), word(16), word(24))
    }

    /// The digest's 32 bytes.
    package var bytes: [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(32)
        for word in [words.0, words.1, words.2, words.3] {
            for shift in stride(from: 56, through: 0, by: -8) {
                result.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
            }
        }
        return result
    }

    /// 64 lower-case hexadecimal digits.
    @usableFromInline package var description: String { bytes.hexText }

    @inlinable
    package static func == (left: CacheKey, right: CacheKey) -> Bool { left.words == right.words }

    @inlinable
    package func hash(into hasher: inout Hasher) {
        // The digest is uniformly distributed: 64 bits suffice.
        hasher.combine(words.0)
    }
}
