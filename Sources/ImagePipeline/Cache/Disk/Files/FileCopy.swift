import CLinux
import Glibc
import LinuxSystem

/// One copy of a file's first bytes by the fastest way that its file systems allow: in the kernel where possible.
///
/// The source's own offset stays where it is: other threads may be using the same open file.
struct FileCopy {
    let source: CInt
    let target: CInt
    let length: Int

    /// Copies.
    ///
    /// - Returns: bytes copied; fewer than `length` where the source ends sooner.
    func run() throws(Errno) -> Int {
        var done = 0
        for way in [range, send] {
            do throws(Errno) {
                try advance(&done, by: way)
                // Some file systems answer 0 instead of "not supported": only reading tells the end from that.
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

    /// Reads up to `count` bytes at an offset; fewer, or none, at the file's end.
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
