package import LinuxSystem

/// The complete body of an original: a read-only descriptor (a sealed memory file, or a file of the source), length and digest.
package struct OriginBody: Sendable {
    package var file: SharedDescriptor
    package var length: Int
    /// SHA-256 of the bytes.
    package var digest: CacheKey

    /// Creates a body.
    package init(file: SharedDescriptor, length: Int, digest: CacheKey) {
        self.file = file
        self.length = length
        self.digest = digest
    }
}
