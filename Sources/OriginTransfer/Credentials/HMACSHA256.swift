import CCrypto

/// HMAC with SHA-256 (RFC 2104).
package enum HMACSHA256 {
    /// The 32 bytes of a message's authentication code.
    package static func code(of message: [UInt8], key: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        var length: UInt32 = 32
        unsafe key.withUnsafeBytes { key in
            _ = unsafe HMAC(EVP_sha256(), key.baseAddress, CInt(key.count), message, message.count, &digest, &length)
        }
        return digest
    }
}
