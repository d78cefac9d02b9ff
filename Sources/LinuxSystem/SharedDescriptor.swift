import Glibc

/// A file descriptor that closes when its last owner lets go; owners may be on any thread.
///
/// Who sends a file to a client, or a source to a worker, holds one of these: an evicted file stays readable until then.
package final class SharedDescriptor: Sendable {
    /// The descriptor's number, valid as long as this object lives.
    package let number: CInt

    /// Takes ownership of an open descriptor.
    package init(owning number: CInt) {
        self.number = number
    }

    deinit {
        close(number)
    }
}

extension SharedDescriptor {
    /// The file's first `count` bytes; `nil` when it has fewer, or cannot be read.
    package func read(count: Int) -> [UInt8]? {
        var complete = true
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let room = unsafe UnsafeMutableRawBufferPointer(
                    rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...]
                )
                let got = unsafe pread(number, room.baseAddress, room.count, off_t(filled))
                if got < 0, errno == EINTR { continue }
                guard got > 0 else {
                    complete = false
                    return
                }
                filled += got
            }
        }
        return complete ? bytes : nil
    }
}
