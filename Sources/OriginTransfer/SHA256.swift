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

    /// Wraps the 32 bytes of a digest.
    package init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// 64 lower-case hexadecimal digits.
    package var text: String { bytes.hexText }
}

/// HMAC with SHA-256 (RFC 2104).
package enum HMACSHA256 {
    /// Returns the 32-byte authentication code of a message.
    package static func code(of message: [UInt8], key: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        var length: UInt32 = 32
        unsafe key.withUnsafeBytes { key in
            _ = unsafe HMAC(EVP_sha256(), key.baseAddress, CInt(key.count), message, message.count, &digest, &length)
        }
        return digest
    }
}
