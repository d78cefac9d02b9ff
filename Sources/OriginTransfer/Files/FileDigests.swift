import LinuxSystem

/// The digests of large files as they were when they were read last, so that each further width of one need not read it all again.
///
/// A file is known by what its entity tag is made of. Bounded. Any thread.
final class FileDigests: Sendable {
    /// Digests of a generation, at some 100 bytes each.
    private static let capacity = 4096

    private let digests = Lock(Generations<FileIdentity, SHA256Digest>(capacity: capacity))

    /// The digest of a version, where it is known.
    func find(_ version: FileIdentity) -> SHA256Digest? { digests.withLock { $0[version] } }

    /// Remembers the digest of a version.
    func keep(_ digest: SHA256Digest, of version: FileIdentity) { digests.withLock { $0[version] = digest } }
}
