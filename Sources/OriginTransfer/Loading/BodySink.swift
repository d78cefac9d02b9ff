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
    /// The bytes written so far, for reading; not sealed before the end.
    private(set) var reading: SharedDescriptor
    /// Whether the bytes are in an unnamed file of a folder.
    let isOnDisk: Bool
    /// Whether appended bytes are written to `file`; otherwise `file` already contains them.
    private let copies: Bool
    private let digest: OpaquePointer

    /// Creates an empty memory file, or an unnamed file in a folder.
    ///
    /// - Parameters:
    ///   - limit: maximum bytes.
    ///   - folder: a folder on disk for the file; a memory file is used if it is `nil` or refuses.
    /// - Throws: `.overloaded` if the system is out of descriptors or memory.
    package init(limit: Int, folder: String? = nil) throws(TransferError) {
        if let opened = folder.flatMap(Self.open(in:)) {
            file = opened
            isOnDisk = true
        } else {
            let number = unsafe edge_memfd_create("edgeprint-original")
            guard number >= 0 else { throw .overloaded("cannot create a memory file for the body") }
            file = SharedDescriptor(owning: number)
            isOnDisk = false
        }
        reading = file
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
        reading = file
        isOnDisk = false
        copies = false
        self.limit = limit
        guard let context = unsafe EVP_MD_CTX_new() else { throw .overloaded("no memory for a digest") }
        unsafe digest = context
        guard unsafe EVP_DigestInit_ex(digest, EVP_sha256(), nil) == 1 else {
            throw .overloaded("no memory for a digest")
        }
    }

    private static func open(in folder: String) -> SharedDescriptor? {
        let number = unsafe edge_open_unnamed(folder)
        return number >= 0 ? SharedDescriptor(owning: number) : nil
    }

    /// Prepares the file for readers that send it while it is written, and for workers; once.
    ///
    /// A memory file cannot be sealed while its pages wait in sockets, and a file on disk cannot be sealed at all. Readers get a
    /// descriptor that cannot write instead, and the file's mode refuses to open another one.
    ///
    /// - Throws: `.overloaded` if the system is out of descriptors.
    func share() throws(TransferError) {
        guard copies, reading === file else { return }
        let number = unsafe edge_open("/proc/self/fd/\(file.number)", O_RDONLY | O_CLOEXEC, 0)
        guard number >= 0 else { throw .overloaded("cannot share the body's file") }
        reading = SharedDescriptor(owning: number)
        fchmod(file.number, 0o400)
    }

    deinit {
        unsafe EVP_MD_CTX_free(digest)
    }

    /// Appends bytes.
    ///
    /// - Throws: `.tooLarge` beyond the limit, `.overloaded` if the system is out of memory.
    package func append(_ bytes: UnsafeRawBufferPointer) throws(TransferError) {
        guard bytes.count <= limit - count else { throw .tooLarge(limit: limit) }
        try unsafe write(bytes)
        unsafe EVP_DigestUpdate(digest, bytes.baseAddress, bytes.count)
    }

    /// Appends bytes of a body that is only passed on: it has neither limit nor digest, and `finish` must not be called.
    func pass(_ bytes: UnsafeRawBufferPointer) throws(TransferError) { try unsafe write(bytes) }

    private func write(_ bytes: UnsafeRawBufferPointer) throws(TransferError) {
        var rest = unsafe bytes[...]
        while unsafe copies && !rest.isEmpty {
            let part = unsafe UnsafeRawBufferPointer(rebasing: rest)
            let written: Int
            do {
                written = try checked("write") { unsafe Glibc.write(file.number, part.baseAddress, part.count) }
            } catch {
                throw .overloaded("no memory for the body")
            }
            unsafe rest = unsafe rest.dropFirst(written)
        }
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
        if isOnDisk { try share() }
        let isSafe = !copies || reading !== file || edge_memfd_seal(file.number) == 0
        guard isHashed, isSafe, lseek(reading.number, 0, SEEK_SET) == 0 else {
            throw .overloaded("cannot seal the body's memory file")
        }
        return TransferBody(file: reading, length: count, digest: SHA256Digest(bytes: bytes))
    }
}
