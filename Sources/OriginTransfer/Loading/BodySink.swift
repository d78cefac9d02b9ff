import CCrypto
import CLinux
import Glibc
package import LinuxSystem

/// Hashes a body as it arrives and, unless it is already in a file, writes it to a memory file; bounded.
///
/// Used by one thread at a time.
@safe
package final class BodySink {
    /// Bytes appended so far.
    package private(set) var count = 0
    private let limit: Int
    private let file: SharedDescriptor
    /// The bytes written so far, for reading in this process.
    var reading: SharedDescriptor { file }
    /// Whether the bytes are in an unnamed file of a folder.
    let isOnDisk: Bool
    /// What the file's bytes are charged to by the sink's user; `nil` if they are not counted.
    package let charge: MemoryCharge?
    /// Whether appended bytes are written to `file`; otherwise `file` already contains them.
    private let copies: Bool
    private let digest: OpaquePointer
    /// Decodes what is appended; `nil` to keep it as it is.
    private let decoder: BodyDecoder?

    /// Creates an empty memory file, or an unnamed file in a folder.
    ///
    /// - Parameters:
    ///   - limit: maximum bytes.
    ///   - folder: a folder on disk for the file; a memory file is used if it is `nil` or refuses.
    ///   - reserved: the bytes for which the folder must have room; 0 to find out while they are written.
    ///   - decryption: how the appended bytes are decoded before they are hashed and written.
    ///   - ledgers: the accounts of memory files and of unnamed files; the bytes count until the body is released.
    /// - Throws: `.overloaded` if the system is out of descriptors or memory.
    package init(
        limit: Int,
        folder: String? = nil,
        reserved: Int = 0,
        decryption: BodyDecryption? = nil,
        ledgers: BodyLedgers? = nil
    ) throws(TransferError) {
        if let decryption { decoder = try BodyDecoder(decryption, limit: limit) } else { decoder = nil }
        if let number = folder.flatMap({ Self.open(in: $0, reserved) }) {
            charge = ledgers.map { MemoryCharge(to: $0.disk) }
            file = SharedDescriptor(owning: number, charge: charge)
            isOnDisk = true
        } else {
            let number = unsafe edge_memfd_create("edgeprint-original")
            guard number >= 0 else { throw .overloaded("cannot create a memory file for the body") }
            charge = ledgers.map { MemoryCharge(to: $0.memory) }
            file = SharedDescriptor(owning: number, charge: charge)
            isOnDisk = false
        }
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
        isOnDisk = false
        charge = nil
        copies = false
        decoder = nil
        self.limit = limit
        guard let context = unsafe EVP_MD_CTX_new() else { throw .overloaded("no memory for a digest") }
        unsafe digest = context
        guard unsafe EVP_DigestInit_ex(digest, EVP_sha256(), nil) == 1 else {
            throw .overloaded("no memory for a digest")
        }
    }

    private static func open(in folder: String, _ reserved: Int) -> CInt? {
        let number = unsafe edge_open_unnamed(folder)
        guard number >= 0 else { return nil }
        // File systems that cannot reserve say so; the others fail when they are full.
        guard reserved == 0 || edge_reserve(number, reserved) == 0 || errno == EOPNOTSUPP else {
            close(number)
            return nil
        }
        return number
    }

    deinit {
        unsafe EVP_MD_CTX_free(digest)
    }

    /// The bytes appended so far, before they were decoded.
    var received: Int { decoder?.received ?? count }

    /// Appends bytes.
    ///
    /// - Throws: `.tooLarge` beyond the limit, `.overloaded` if the system is out of memory or disk space, `.undecryptable`.
    package func append(_ bytes: UnsafeRawBufferPointer) throws(TransferError) {
        guard let decoder else { return try unsafe store(bytes) }
        try store(try unsafe decoder.update(bytes))
    }

    private func store(_ bytes: [UInt8]) throws(TransferError) {
        try unsafe bytes.withUnsafeBufferPointer { bytes throws(TransferError) in
            try unsafe store(UnsafeRawBufferPointer(bytes))
        }
    }

    private func store(_ bytes: UnsafeRawBufferPointer) throws(TransferError) {
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
                throw .overloaded(isOnDisk ? "no space on disk for the body" : "no memory for the body")
            }
            unsafe rest = unsafe rest.dropFirst(written)
        }
        count += bytes.count
    }

    /// Protects the file from changes, rewinds it and returns the body; the sink must not be used afterwards.
    ///
    /// A memory file is sealed. Sealing waits for pages that are in sockets and then fails, so a file that clients have read is
    /// protected like one on disk: by a descriptor that cannot write, and a mode that refuses to open another one.
    ///
    /// - Parameter wasRead: whether the file has been sent to clients while it was written.
    /// - Throws: `.overloaded` if the file cannot be protected, `.undecryptable` if what was appended cannot be decoded.
    package func finish(wasRead: Bool = false) throws(TransferError) -> TransferBody {
        if let decoder { try store(try decoder.finish()) }
        var bytes = [UInt8](repeating: 0, count: 32)
        let isHashed = unsafe bytes.withUnsafeMutableBufferPointer {
            unsafe EVP_DigestFinal_ex(digest, $0.baseAddress, nil) == 1
        }
        let isSealed = copies && !isOnDisk && !wasRead && edge_memfd_seal(file.number) == 0
        let body = copies && !isSealed ? try readOnly() : file
        guard isHashed, lseek(body.number, 0, SEEK_SET) == 0 else { throw .overloaded("cannot finish the body's file") }
        return TransferBody(file: body, length: count, digest: SHA256Digest(bytes: bytes))
    }

    private func readOnly() throws(TransferError) -> SharedDescriptor {
        let number = unsafe edge_open("/proc/self/fd/\(file.number)", O_RDONLY | O_CLOEXEC, 0)
        guard number >= 0, fchmod(file.number, 0o400) == 0 else { throw .overloaded("cannot protect the body's file") }
        return SharedDescriptor(owning: number, charge: charge)
    }
}

/// The accounts of the bodies on their way: from the first byte until the last user has released the file.
package struct BodyLedgers: Sendable {
    /// Bodies in memory.
    package var memory: MemoryLedger
    /// Bodies in unnamed files of the cache's folder.
    package var disk: MemoryLedger

    /// Creates accounts.
    package init(memory: MemoryLedger, disk: MemoryLedger) {
        self.memory = memory
        self.disk = disk
    }

    /// Creates empty accounts with limits in bytes.
    package init(memory: Int, disk: Int) {
        self.init(memory: MemoryLedger(limit: memory), disk: MemoryLedger(limit: disk))
    }
}
