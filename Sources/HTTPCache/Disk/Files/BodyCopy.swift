import CCrypto
import CLinux
import Glibc
import LinuxSystem

/// Copies an original's body into its content file, and verifies that it matches its record.
struct BodyCopy {
    let body: OriginBody
    let files: any FileSystem

    /// Copies the body from offset 0.
    ///
    /// A sealed memory file cannot have changed since it was hashed; a source's file can, and is hashed again.
    func run(into file: SharedDescriptor) throws(DiskFault) {
        let copied = try DiskFault.file { () throws(Errno) in
            try files.copy(body.file, to: file, length: body.length)
        }
        guard copied == body.length else { throw .body("the body is shorter than its record") }
        guard edge_memfd_is_sealed(body.file.number) != 1 else { return }
        let digest = try DiskFault.file { () throws(Errno) in try BodyDigest.of(file, length: body.length, files: files)
        }
        guard digest == body.digest else { throw .body("the body changed during the copy") }
    }
}

/// The SHA-256 of a file's first bytes, read in chunks.
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

/// Copies a file's first bytes in the kernel where the file systems support that.
///
/// Does not move the source's offset, as other threads may use the same open file.
struct FileCopy {
    let source: CInt
    let target: CInt
    let length: Int

    /// Runs the copy.
    ///
    /// - Returns: bytes copied; fewer than `length` if the source ends sooner.
    func run() throws(Errno) -> Int {
        var done = 0
        for way in [range, send] {
            do throws(Errno) {
                try advance(&done, by: way)
                // Some file systems return 0 for "not supported": only reading distinguishes that from the end.
                if done == length { return done }
            } catch {
                guard Self.means(unsupported: error) else { throw error }
            }
        }
        return try readAndWrite(from: done)
    }

    private func advance(_ done: inout Int, by way: (Int) throws(Errno) -> Int) throws(Errno) {
        while done < length {
            let count = try way(done)
            if count == 0 { return }
            done += count
        }
    }

    private func range(_ done: Int) throws(Errno) -> Int {
        var offset = Int64(done)
        return try checked("copy_file_range") {
            unsafe edge_copy_file_range(source, &offset, target, nil, length - done)
        }
    }

    private func send(_ done: Int) throws(Errno) -> Int {
        var offset = off_t(done)
        return try checked("sendfile") { unsafe sendfile(target, source, &offset, length - done) }
    }

    private func readAndWrite(from start: Int) throws(Errno) -> Int {
        var done = start
        while done < length {
            let chunk = try Self.read(source, at: done, count: min(1 << 18, length - done))
            if chunk.isEmpty { break }
            var written = 0
            while written < chunk.count {
                written += try checked("write") {
                    unsafe chunk.withUnsafeBytes { bytes in
                        unsafe write(target, bytes.baseAddress?.advanced(by: written), bytes.count - written)
                    }
                }
            }
            done += chunk.count
        }
        return done
    }

    /// Reads up to `count` bytes at an offset; fewer, possibly zero, at the file's end.
    static func read(_ file: CInt, at offset: Int, count: Int) throws(Errno) -> [UInt8] {
        var failure: Errno?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            do throws(Errno) {
                filled = try checked("pread") { unsafe pread(file, buffer.baseAddress, count, off_t(offset)) }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }

    private static func means(unsupported error: Errno) -> Bool {
        [EXDEV, EINVAL, ENOSYS, EOPNOTSUPP, EBADF, EPERM].contains(error.code)
    }
}
