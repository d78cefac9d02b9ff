import CCrypto
import CLinux
import Glibc
import LinuxSystem

/// Takes a body's bytes as they come: into a memory file, or none where they lie in a file already, through SHA-256, up to a limit.
///
/// One thread at a time.
@safe
final class BodySink {
    /// Bytes taken so far.
    private(set) var count = 0
    private let limit: Int
    private let file: SharedDescriptor
    /// Whether the bytes are copied into `file`; else they are there.
    private let copies: Bool
    private let digest: OpaquePointer

    /// Creates an empty memory file.
    ///
    /// - Throws: `.overloaded` when the system has no descriptor or memory for it.
    init(limit: Int) throws(PipelineError) {
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
    init(hashing file: SharedDescriptor, limit: Int) throws(PipelineError) {
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
    func append(_ bytes: UnsafeRawBufferPointer) throws(PipelineError) {
        guard bytes.count <= limit - count else { throw .sourceTooLarge(limit: limit) }
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
    func finish() throws(PipelineError) -> OriginBody {
        var bytes = [UInt8](repeating: 0, count: 32)
        let isHashed = unsafe bytes.withUnsafeMutableBufferPointer {
            unsafe EVP_DigestFinal_ex(digest, $0.baseAddress, nil) == 1
        }
        guard isHashed, !copies || edge_memfd_seal(file.number) == 0, lseek(file.number, 0, SEEK_SET) == 0 else {
            throw .overloaded("the body's memory file cannot be sealed")
        }
        guard let key = CacheKey(bytes: bytes) else { throw .overloaded("no digest") }
        return OriginBody(file: file, length: count, digest: key)
    }
}
