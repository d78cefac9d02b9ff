import CLinux
import Glibc

/// A file descriptor that closes when its last owner releases it; owners may be on any thread.
///
/// Code that sends a file to a client or a worker holds one of these, so an evicted file stays readable until it is done.
package final class SharedDescriptor: Sendable {
    /// The number of the descriptor, valid during the lifetime of this object.
    package let number: CInt
    /// The account of the file's bytes.
    private let charge: MemoryCharge?

    /// Takes ownership of an open descriptor.
    ///
    /// - Parameter charge: what the file's bytes are charged to, released with the descriptor.
    package init(owning number: CInt, charge: MemoryCharge? = nil) {
        self.number = number
        self.charge = charge
    }

    deinit {
        close(number)
    }
}

extension SharedDescriptor {
    /// Reads the file's first `count` bytes; `nil` if it has fewer or cannot be read.
    package func read(count: Int) -> [UInt8]? { read(0..<count) }

    /// Reads a range of the file's bytes; `nil` if it has fewer or cannot be read.
    package func read(_ range: Range<Int>) -> [UInt8]? {
        let count = range.count
        var complete = true
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let room = unsafe UnsafeMutableRawBufferPointer(
                    rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...]
                )
                let got = unsafe pread(number, room.baseAddress, room.count, off_t(range.lowerBound + filled))
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

extension SharedDescriptor {
    /// The length of the file in bytes; `nil` if it cannot be determined.
    package var length: Int? { status.map { Int($0.st_size) } }

    /// Whether the file has no name, because it was deleted or never had one; false if that cannot be determined.
    package var isUnlinked: Bool { status?.st_nlink == 0 }

    private var status: stat? {
        var status = stat()
        return unsafe fstat(number, &status) == 0 ? status : nil
    }
}

extension SharedDescriptor {
    /// Copies bytes into a memory file (memfd_create(2)) that nothing can change; `nil` if the system has no room.
    ///
    /// - Parameter name: what /proc shows, for operators.
    package static func sealed(_ bytes: UnsafeRawBufferPointer, name: String) -> SharedDescriptor? {
        let number = unsafe edge_memfd_create(name)
        guard number >= 0 else { return nil }
        let file = SharedDescriptor(owning: number)
        var written = 0
        while written < bytes.count {
            let count = unsafe write(number, bytes.baseAddress.map { unsafe $0 + written }, bytes.count - written)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            written += count
        }
        return edge_memfd_seal(number) == 0 ? file : nil
    }
}
