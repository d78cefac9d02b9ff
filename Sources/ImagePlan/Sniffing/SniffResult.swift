/// What the first bytes of a file are.
package enum SniffResult: Hashable, Sendable {
    /// An image whose header was read.
    case image(ImageHeader)
    /// Probably an image; call again with at least so many bytes from the file's start, never more than its length.
    case needsMore(Int)
    /// No image that the project knows by its bytes: 415.
    case unknown
    /// The bytes begin as an image and then break the format's rules, or end too early: 422.
    case malformed(ImageFormat, String)
}
