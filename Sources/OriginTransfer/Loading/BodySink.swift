import CCrypto
import CLinux
import Glibc
import LinuxSystem

/// Hashes a body's bytes as they arrive, and collects them in a memory file unless they are in a file already; bounded.
///
/// One thread at a time.
@safe
package final class BodySink {
    /// Bytes taken so far.
    package private(set) var count = 0
    private let limit: Int
    private let file: SharedDescriptor
    /// Whether the bytes are copied into `file`; else they are there.
    private let copies: Bool
    private let digest: OpaquePointer

    /// Creates an empty memory file.
    ///
    /// - Throws: `.overloaded` when the system has no descriptor or memory for it.
    package init(limit: Int) throws(TransferError) {
        let number = unsafe edge_memfd_create("edgeprint-original")
        guard number >= 0 else { throw .overloaded("no memory file for the body") }
        file = SharedDescriptor(owning: number)
        copies = true
        self.limit = limit
        guard let context = unsafe EVP_MD_CTX_new() else { throw .overloaded("no memory for a digest") }
        unsafe digest = context
        guard unsafe EVP_DigestInit_ex(digest, EVP_sha256(), nil) == 1 else {
            throw .overloaded("no memory for a digest")
        }
    }

    /// Only hashes: the bytes are those of `file`, from offset 0.
    ///
    /// - Throws: `.overloaded` when there is no memory.
    init(hashing file: SharedDescriptor, limit: Int) throws(TransferError) {
        self.file = file
        copies = false
        self.limit = limit
        guard let context = unsafe EVP_MD_CTX_new() else { throw .overloaded("no memory for a digest") }
        unsafe digest = context
        guard unsafe EVP_DigestInit_ex(digest, EVP_sha256(), nil) == 1 else {
            throw .overloaded("no memory for a digest")
        }
    }

    deinit {
        unsafe EVP_MD_CTX_free(digest)
    }

    /// Appends bytes.
    ///
    /// - Throws: `.sourceTooLarge` beyond the limit, `.overloaded` when there is no memory for them.
    package func append(_ bytes: UnsafeRawBufferPointer) throws(TransferError) {
        guard bytes.count <= limit - count else { throw .tooLarge(limit: limit) }
        var rest = unsafe bytes[...]
        while unsafe copies && !rest.isEmpty {
            let part = unsafe UnsafeRawBufferPointer(rebasing: rest)
            let written: Int
            do {
                written = try checked("write") { unsafe write(file.number, part.baseAddress, part.count) }
            } catch {
                throw .overloaded("no memory for the body")
            }
            unsafe rest = unsafe rest.dropFirst(written)
        }
        unsafe EVP_DigestUpdate(digest, bytes.baseAddress, bytes.count)
        count += bytes.count
    }

    /// Seals the file against every change and gives it away, read position at 0; not to be used afterwards.
    ///
    /// - Throws: `.overloaded` when the file cannot be sealed.
    package func finish() throws(TransferError) -> TransferBody {
        var bytes = [UInt8](repeating: 0, count: 32)
        let isHashed = unsafe bytes.withUnsafeMutableBufferPointer {
            unsafe EVP_DigestFinal_ex(digest, $0.baseAddress, nil) == 1
        }
        guard isHashed, !copies || edge_memfd_seal(file.number) == 0, lseek(file.number, 0, SEEK_SET) == 0 else {
            throw .overloaded("the body's memory file cannot be sealed")
        }
        return TransferBody(file: file, length: count, digest: SHA256Digest(bytes: bytes))
    }
}
