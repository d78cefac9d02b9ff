import HTTPSemantics

/// How the bodies of a source are encoded or encrypted (SDWebImage: `SDWebImageDownloaderDecryptor`).
package struct BodyDecryption: Hashable, Sendable {
    /// The encoding or the cipher.
    package enum Method: String, Hashable, Sendable, CaseIterable {
        /// Base64 or base64url, with or without padding and line ends (RFC 4648).
        case base64
        /// 12 bytes of IV, the ciphertext, 16 bytes of tag.
        case aes256GCM = "aes-256-gcm"
        /// 16 bytes of IV, and the ciphertext with PKCS #7 padding; not authenticated.
        case aes256CBC = "aes-256-cbc"

        /// Whether it requires a key.
        package var needsKey: Bool { self != .base64 }
    }

    package let method: Method
    /// The name of the key; `nil` for Base64.
    package let keyName: String?
    /// The key; `nil` for Base64.
    let key: CipherKey?

    /// Base64.
    package static let base64 = BodyDecryption(method: .base64, keyName: nil, key: nil)

    private init(method: Method, keyName: String?, key: CipherKey?) {
        self.method = method
        self.keyName = keyName
        self.key = key
    }

    /// Creates the decryption of a cipher.
    package init(_ method: Method, key: CipherKey, named name: String) {
        self.init(method: method, keyName: method.needsKey ? name : nil, key: method.needsKey ? key : nil)
    }

    /// Identifies method and key in cache keys, without revealing the key.
    package var keyText: String { method.rawValue + (key.map { " \($0.fingerprint)" } ?? "") }

    /// The maximum length of a coded body whose decoded length is at most `length`.
    func codedLength(of length: Int) -> Int {
        switch method {
        // Four characters for three bytes, and line ends.
        case .base64: length.addingReportingOverflow(length / 2 + 1024).partialValue
        case .aes256GCM, .aes256CBC: length.addingReportingOverflow(32).partialValue
        }
    }
}

/// Decodes one body, piece by piece; used by one thread at a time.
final class BodyDecoder {
    private var base64: Base64Decoder?
    private let aes: AESDecryption?
    private let codedLimit: Int
    private let limit: Int
    /// Coded bytes so far.
    private(set) var received = 0

    /// Creates a decoder of a body whose decoded length is at most `limit`.
    ///
    /// - Throws: `.overloaded` if the system is out of memory.
    init(_ decryption: BodyDecryption, limit: Int) throws(TransferError) {
        self.limit = limit
        codedLimit = decryption.codedLength(of: limit)
        guard let key = decryption.key else {
            base64 = Base64Decoder(skipsBlanks: true)
            aes = nil
            return
        }
        aes = AESDecryption(decryption.method == .aes256GCM ? .gcm : .cbc, key: key)
        guard aes != nil else { throw .overloaded("no memory for a cipher") }
    }

    /// Returns the bytes that a piece yields.
    ///
    /// - Throws: `.undecryptable`, or `.tooLarge` beyond the limit.
    func update(_ bytes: UnsafeRawBufferPointer) throws(TransferError) -> [UInt8] {
        received += bytes.count
        guard received <= codedLimit else { throw .tooLarge(limit: limit) }
        var plain: [UInt8] = []
        if let aes {
            guard unsafe aes.update(bytes, into: &plain) else { throw .undecryptable(Self.wrongKey) }
        } else {
            plain.reserveCapacity(bytes.count / 4 * 3 + 3)
            for byte in unsafe Array(bytes) {
                guard base64?.decode(byte, into: &plain) == true else { throw .undecryptable(Self.noBase64) }
            }
        }
        return plain
    }

    /// Returns the last bytes.
    ///
    /// - Throws: `.undecryptable` if the key is wrong or the body is damaged.
    func finish() throws(TransferError) -> [UInt8] {
        var plain: [UInt8] = []
        if let aes {
            guard aes.finish(into: &plain) else { throw .undecryptable(Self.wrongKey) }
        } else if base64?.finish() != true {
            throw .undecryptable(Self.noBase64)
        }
        return plain
    }

    private static let wrongKey = "the key is wrong, or the content is damaged"
    private static let noBase64 = "the content is not valid Base64"
}
