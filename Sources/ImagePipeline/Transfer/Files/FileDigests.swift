import LinuxSystem

/// The digests of large files as they were when they were read last, so that each further width of one need not read it all again.
///
/// A file is known by what its entity tag is made of. Bounded: the older half goes when there are too many. Any thread.
final class FileDigests: Sendable {
    /// Digests of one half, at some 100 bytes each.
    private static let halfCapacity = 4096

    private struct State: Sendable {
        var younger: [FileIdentity: CacheKey] = [:]
        var older: [FileIdentity: CacheKey] = [:]
    }

    private let state = Lock(State())

    /// The digest of a version, where it is known.
    func find(_ version: FileIdentity) -> CacheKey? {
        state.withLock { $0.younger[version] ?? $0.older[version] }
    }

    /// Remembers the digest of a version.
    func keep(_ digest: CacheKey, of version: FileIdentity) {
        state.withLock { state in
            if state.younger.count >= Self.halfCapacity {
                state.older = state.younger
                state.younger = [:]
            }
            state.younger[version] = digest
        }
    }
}
