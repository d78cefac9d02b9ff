import CCrypto
import HTTPSemantics

/// A SHA-256 digest (FIPS 180-4).
package struct SHA256Digest: Hashable, Sendable {
    /// The digest's 32 bytes.
    package let bytes: [UInt8]

    /// Hashes bytes.
    package init(hashing bytes: [UInt8]) {
        var digest = [UInt8](repeating: 0, count: 32)
        var length: UInt32 = 0
        _ = unsafe EVP_Digest(bytes, bytes.count, &digest, &length, EVP_sha256(), nil)
        self.bytes = digest
    }

    /// Hashes a text's UTF-8 bytes.
    package init(hashing text: String) {
        self.init(hashing: Array(text.utf8))
    }

    /// Takes a digest's 32 bytes.
    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// 64 lower-case hexadecimal digits.
    package var text: String { bytes.hexText }
}
