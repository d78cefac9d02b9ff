import CCrypto
import Dialects
import LinuxSystem
import OriginTransfer

/// Verifies the signatures of other servers' languages and decrypts their URLs.
///
/// Immutable; any thread.
struct DialectVerifier: Sendable {
    let keys: Configuration.DialectKeys
    /// The number of keys of Edgeprint's own, after which these are counted (`RequestRules.signingKey`).
    let precedingKeys: Int

    init(_ keys: Configuration.DialectKeys = Configuration.DialectKeys(), precedingKeys: Int = 0) {
        (self.keys, self.precedingKeys) = (keys, precedingKeys)
    }

    /// Verifies what a request states, in constant time for a given length.
    ///
    /// A signature that is shorter or longer than configured is wrong: if any prefix were valid, a single byte could be guessed.
    func verdict(on signature: Translation.Signature, in dialect: Dialect) -> SignatureVerdict {
        guard case .stated(let code, let message) = signature else { return .missing }
        guard keys.hasKeys(of: dialect) else { return .unverifiable }
        var found: Int?
        for (index, expected) in codes(of: message, in: dialect).enumerated() where Self.areEqual(code, expected) {
            found = found ?? index
        }
        return found.map { .valid(key: $0 + 1) } ?? .wrong
    }

    /// The number of a language's key among all of the site, counted from 1.
    func number(ofKey key: Int, in dialect: Dialect) -> Int {
        let before = Dialect.allCases.prefix { $0 != dialect }.reduce(0) { $0 + count(of: $1) }
        return precedingKeys + before + key
    }

    /// The text that another server has encrypted with AES in CBC mode and PKCS #7 padding, the initialisation vector before it.
    ///
    /// - Returns: `nil` if no key decrypts it, or what it is then is not text.
    func decrypted(_ bytes: [UInt8]) -> String? {
        keys.imgproxy.urlKeys.lazy.compactMap { Self.decrypted(bytes, $0.bytes) }
            .compactMap { String(validating: $0, as: UTF8.self) }.first
    }

    private func count(of dialect: Dialect) -> Int {
        switch dialect {
        case .imgproxy: keys.imgproxy.keys.count
        case .thumbor: keys.thumbor.keys.count
        case .imagor: keys.imagor.keys.count
        case .weserv, .cloudflare: 0
        }
    }

    /// The valid codes of a message, one for each key.
    private func codes(of message: [UInt8], in dialect: Dialect) -> [[UInt8]] {
        switch dialect {
        case .imgproxy:
            return zip(keys.imgproxy.keys, keys.imgproxy.salts).map { key, salt in
                let code = HMACSHA256.code(of: salt.bytes + message, key: key.bytes)
                return Array(code.prefix(keys.imgproxy.signatureSize))
            }
        case .thumbor:
            return keys.thumbor.keys.map { Self.code(of: message, key: Array($0.value.utf8), .sha1) }
        case .imagor:
            // Six bits a character.
            let length = keys.imagor.truncate == 0 ? keys.imagor.hash.size : keys.imagor.truncate * 6 / 8
            return keys.imagor.keys.map { key in
                Array(Self.code(of: message, key: Array(key.value.utf8), keys.imagor.hash).prefix(length))
            }
        case .weserv, .cloudflare:
            return []
        }
    }

    private static func code(of message: [UInt8], key: [UInt8], _ hash: SignatureHash) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: hash.size)
        var length = UInt32(hash.size)
        unsafe key.withUnsafeBytes { key in
            let algorithm =
                switch hash {
                case .sha1: unsafe EVP_sha1()
                case .sha256: unsafe EVP_sha256()
                case .sha512: unsafe EVP_sha512()
                }
            _ = unsafe HMAC(algorithm, key.baseAddress, CInt(key.count), message, message.count, &code, &length)
        }
        return code
    }

    private static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        unsafe !right.isEmpty && left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
    }

    private static func decrypted(_ bytes: [UInt8], _ key: [UInt8]) -> [UInt8]? {
        let block = 16
        let sealed = Array(bytes.dropFirst(block))
        guard !sealed.isEmpty, sealed.count.isMultiple(of: block), let length = CInt(exactly: sealed.count) else {
            return nil
        }
        let cipher =
            switch key.count {
            case 16: unsafe EVP_aes_128_cbc()
            case 24: unsafe EVP_aes_192_cbc()
            default: unsafe EVP_aes_256_cbc()
            }
        guard let context = unsafe EVP_CIPHER_CTX_new() else { return nil }
        defer { unsafe EVP_CIPHER_CTX_free(context) }
        var plain = [UInt8](repeating: 0, count: sealed.count + block)
        var (count, rest): (CInt, CInt) = (0, 0)
        var last = [UInt8](repeating: 0, count: block)
        guard unsafe EVP_DecryptInit_ex(context, cipher, nil, key, bytes) == 1,
            unsafe EVP_DecryptUpdate(context, &plain, &count, sealed, length) == 1,
            unsafe EVP_DecryptFinal_ex(context, &last, &rest) == 1
        else { return nil }
        return Array(plain.prefix(Int(count)) + last.prefix(Int(rest)))
    }
}
