import CCrypto

/// Decrypts AES-256, piece by piece; used by one thread at a time.
///
/// The bytes begin with the IV. With GCM they end with the tag, and nothing may be used before `finish` has verified it.
@safe
final class AESDecryption {
    /// The mode of operation.
    enum Mode {
        /// Authenticated (NIST SP 800-38D): 12 bytes of IV, the ciphertext, 16 bytes of tag.
        case gcm
        /// Not authenticated (NIST SP 800-38A): 16 bytes of IV, and the ciphertext with PKCS #7 padding (RFC 5652 §6.3).
        case cbc

        /// The length of the IV in bytes.
        var startLength: Int { self == .gcm ? 12 : 16 }
        /// The length of the tag in bytes.
        var tagLength: Int { self == .gcm ? 16 : 0 }
    }

    private let context: OpaquePointer
    private let mode: Mode
    private let key: CipherKey
    /// The beginning until the IV is complete, and then the last bytes, which may be the tag.
    private var pending: [UInt8] = []
    private var hasStarted = false

    /// Creates a decryption; `nil` if the system is out of memory.
    init?(_ mode: Mode, key: CipherKey) {
        guard let context = unsafe EVP_CIPHER_CTX_new() else { return nil }
        unsafe self.context = context
        self.mode = mode
        self.key = key
    }

    deinit { unsafe EVP_CIPHER_CTX_free(context) }

    /// Decrypts bytes and appends what they yield; `false` if the library fails.
    func update(_ bytes: UnsafeRawBufferPointer, into plain: inout [UInt8]) -> Bool {
        unsafe pending.append(contentsOf: bytes)
        if !hasStarted {
            guard pending.count >= mode.startLength else { return true }
            guard start(Array(pending.prefix(mode.startLength))) else { return false }
            pending.removeFirst(mode.startLength)
        }
        let usable = pending.count - mode.tagLength
        guard usable > 0 else { return true }
        // A block may be held back, and one that was may be added.
        var output = [UInt8](repeating: 0, count: usable + 32)
        var count: CInt = 0
        guard unsafe EVP_DecryptUpdate(context, &output, &count, pending, CInt(usable)) == 1 else { return false }
        plain.append(contentsOf: output.prefix(Int(count)))
        pending.removeFirst(usable)
        return true
    }

    private func start(_ bytes: [UInt8]) -> Bool {
        hasStarted = true
        let cipher = unsafe mode == .gcm ? EVP_aes_256_gcm() : EVP_aes_256_cbc()
        return unsafe EVP_DecryptInit_ex(context, cipher, nil, key.bytes, bytes) == 1
    }

    /// Appends the last bytes; `false` if the tag, the padding or the length is wrong.
    func finish(into plain: inout [UInt8]) -> Bool {
        guard hasStarted, pending.count == mode.tagLength else { return false }
        if mode == .gcm {
            let length = CInt(mode.tagLength)
            guard unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, length, &pending) == 1 else {
                return false
            }
        }
        var output = [UInt8](repeating: 0, count: 32)
        var count: CInt = 0
        guard unsafe EVP_DecryptFinal_ex(context, &output, &count) == 1 else { return false }
        plain.append(contentsOf: output.prefix(Int(count)))
        return true
    }
}
