import Glibc
import LinuxSystem

/// A bounded cache of the digests of large files, so that a file is hashed once and not again for each variant.
///
/// The key is the file's identity, from which its entity tag is made. Any thread.
final class FileDigests: Sendable {
    /// The maximum number of digests in a generation; each takes about 100 bytes.
    private static let capacity = 4096

    private let digests = Lock(Generations<FileIdentity, SHA256Digest>(capacity: capacity))

    /// Returns the digest of a file version; `nil` if it is unknown.
    func find(_ version: FileIdentity) -> SHA256Digest? { digests.withLock { $0[version] } }

    /// Stores the digest of a file version.
    func keep(_ digest: SHA256Digest, of version: FileIdentity) { digests.withLock { $0[version] = digest } }
}

/// Identifies a version of a file: size, modification time in nanoseconds, inode and device.
package struct FileIdentity: Hashable, Sendable {
    let size: Int
    let seconds: Int64
    let nanoseconds: Int64
    let inode: UInt64
    let device: UInt64

    /// Reads the identity of an open file; `nil` if it is not a regular file.
    package init?(descriptor: CInt) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        size = Int(status.st_size)
        seconds = Int64(status.st_mtim.tv_sec)
        nanoseconds = Int64(status.st_mtim.tv_nsec)
        inode = UInt64(status.st_ino)
        device = UInt64(status.st_dev)
    }

    /// The identity as a strong entity tag (RFC 9110 §8.8.3); it is compared before any byte is read.
    var entityTag: String {
        let time = String(seconds, radix: 16) + "." + String(nanoseconds, radix: 16)
        return "\"\(String(size, radix: 16))-\(time)-\(String(inode, radix: 16))\""
    }
}

/// A bounded dictionary with approximate LRU eviction: a full young generation replaces the old one, which is dropped.
struct Generations<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// The maximum number of entries in each of the two generations.
    let capacity: Int
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// The value of a key; reading it counts as a use, and setting `nil` has no effect.
    subscript(key: Key) -> Value? {
        mutating get {
            if let value = young[key] { return value }
            guard let value = old[key] else { return nil }
            keep(value, for: key)
            return value
        }
        set {
            if let newValue { keep(newValue, for: key) }
        }
    }

    private mutating func keep(_ value: Value, for key: Key) {
        if young.count >= capacity, young[key] == nil {
            old = young
            young = [:]
        }
        young[key] = value
    }
}
