import CCrypto
import LinuxSystem

/// The SHA-256 of a file's first bytes, read piece by piece.
enum BodyDigest {
    /// Reads and hashes `length` bytes from the start; `nil` when the file is shorter.
    static func of(
        _ file: SharedDescriptor,
        length: Int,
        files: any FileSystem = SystemFiles()
    ) throws(Errno) -> CacheKey? {
        guard let context = unsafe EVP_MD_CTX_new() else { return nil }
        defer { unsafe EVP_MD_CTX_free(context) }
        unsafe EVP_DigestInit_ex(context, EVP_sha256(), nil)
        var done = 0
        while done < length {
            let chunk = try files.read(file, at: done, count: min(1 << 18, length - done))
            if chunk.isEmpty { return nil }
            unsafe chunk.withUnsafeBytes { bytes in
                _ = unsafe EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
            }
            done += chunk.count
        }
        var digest = [UInt8](repeating: 0, count: 32)
        var size: UInt32 = 0
        unsafe EVP_DigestFinal_ex(context, &digest, &size)
        return CacheKey(bytes: digest)
    }
}
