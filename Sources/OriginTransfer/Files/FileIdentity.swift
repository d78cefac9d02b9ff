import Glibc

/// What tells a version of a file from another: size, time of change in nanoseconds, inode and its file system.
package struct FileIdentity: Hashable, Sendable {
    let size: Int
    let seconds: Int64
    let nanoseconds: Int64
    let inode: UInt64
    let device: UInt64

    /// Looks at an open descriptor.
    ///
    /// - Returns: `nil` when it is no regular file.
    package init?(descriptor: CInt) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        size = Int(status.st_size)
        seconds = Int64(status.st_mtim.tv_sec)
        nanoseconds = Int64(status.st_mtim.tv_nsec)
        inode = UInt64(status.st_ino)
        device = UInt64(status.st_dev)
    }

    /// As an entity tag (RFC 9110 §8.8.3): strong, since the bytes are hashed only after it is compared.
    var entityTag: String {
        let time = String(seconds, radix: 16) + "." + String(nanoseconds, radix: 16)
        return "\"\(String(size, radix: 16))-\(time)-\(String(inode, radix: 16))\""
    }
}
