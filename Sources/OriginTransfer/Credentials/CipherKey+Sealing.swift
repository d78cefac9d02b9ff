import CCrypto

/// Authenticated encryption of short texts, such as URLs.
extension CipherKey {
    /// Encrypts bytes with AES-256-GCM: 12 bytes of IV, the ciphertext, 16 bytes of tag.
    ///
    /// The IV is a pseudorandom function of the bytes, so that equal texts have equal ciphertexts, which caches recognise; nobody
    /// learns more from that than their equality.
    package func seal(_ plain: [UInt8]) -> [UInt8]? {
        let secret = HMACSHA256.code(of: Array("edgeprint seal iv".utf8), key: bytes)
        let start = Array(HMACSHA256.code(of: plain, key: secret).prefix(AESDecryption.Mode.gcm.startLength))
        guard let context = unsafe EVP_CIPHER_CTX_new() else { return nil }
        defer { unsafe EVP_CIPHER_CTX_free(context) }
        var sealed = [UInt8](repeating: 0, count: plain.count)
        var tag = [UInt8](repeating: 0, count: AESDecryption.Mode.gcm.tagLength)
        var count: CInt = 0
        var rest: CInt = 0
        guard unsafe EVP_EncryptInit_ex(context, EVP_aes_256_gcm(), nil, bytes, start) == 1,
            unsafe EVP_EncryptUpdate(context, &sealed, &count, plain, CInt(plain.count)) == 1,
            unsafe EVP_EncryptFinal_ex(context, &tag, &rest) == 1,
            unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, CInt(tag.count), &tag) == 1
        else { return nil }
        return start + sealed + tag
    }

    /// Decrypts what `seal` has made, with this key or an equal one; `nil` for anything else.
    package func open(_ sealed: [UInt8]) -> [UInt8]? {
        guard let decryption = AESDecryption(.gcm, key: self) else { return nil }
        var plain: [UInt8] = []
        let isSound = unsafe sealed.withUnsafeBytes { unsafe decryption.update($0, into: &plain) }
        return isSound && decryption.finish(into: &plain) ? plain : nil
    }
}
