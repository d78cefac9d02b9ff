import CCrypto
import CLinux
import Glibc
import LinuxSystem

/// Hashes a body as it arrives and, unless it is already in a file, writes it to a memory file; bounded.
///
/// Used by one thread at a time.
@safe
package final class BodySink {
    /// Bytes appended so far.
    package private(set) var count = 0
    private let limit: Int
    private let file: SharedDescriptor
    /// Whether appended bytes are written to `file`; otherwise `file` already contains them.
    private let copies: Bool
    private let digest: OpaquePointer

    /// Creates an empty memory file.
    ///
    /// - Throws: `.overloaded` if the system is out of descriptors or memory.
    package init(limit: Int) throws(TransferError) {
        let number = unsafe edge_memfd_create("edgeprint-original")
        guard number >= 0 else { throw .overloaded("cannot create a memory file for the body") }
        file = SharedDescriptor(owning: number)
        copies = true
        self.limit = limit
        guard let context = unsafe EVP_MD_CTX_new() else { throw .overloaded("no memory for a digest") }
        unsafe digest = context
        guard unsafe EVP_DigestInit_ex(digest, EVP_sha256(), nil) == 1 else {
            throw .overloaded("no memory for a digest")
        }
    }

    /// Creates a sink that only hashes: the bytes are those of `file` from offset 0.
    ///
    /// - Throws: `.overloaded` if the system is out of memory.
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
    /// - Throws: `.tooLarge` beyond the limit, `.overloaded` if the system is out of memory.
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

    /// Seals the file, rewinds it and returns the body; the sink must not be used afterwards.
    ///
    /// - Throws: `.overloaded` if the file cannot be sealed.
    package func finish() throws(TransferError) -> TransferBody {
        var bytes = [UInt8](repeating: 0, count: 32)
        let isHashed = unsafe bytes.withUnsafeMutableBufferPointer {
            unsafe EVP_DigestFinal_ex(digest, $0.baseAddress, nil) == 1
        }
        guard isHashed, !copies || edge_memfd_seal(file.number) == 0, lseek(file.number, 0, SEEK_SET) == 0 else {
            throw .overloaded("cannot seal the body's memory file")
        }
        return TransferBody(file: file, length: count, digest: SHA256Digest(bytes: bytes))
    }
}
