internal import ImagePlan

/// A tiny image that stands in for another until it has loaded, decoded from a hash that the server computes.
///
/// On Apple platforms, `CGImage` takes the pixels as they are: 8 bits for each component, 32 for each pixel, and the alpha
/// `CGImageAlphaInfo.last`.
public struct PlaceholderImage: Hashable, Sendable {
    /// Pixels.
    public let width: Int
    /// Pixels.
    public let height: Int
    /// Red, green, blue and alpha of each pixel in sRGB, not premultiplied; rows from the top, without padding.
    public let rgba: [UInt8]

    /// Decodes a ThumbHash (`format=thumbhash`) into an image of at most 32 × 32 pixels, with the proportions of the original.
    ///
    /// - Parameter hash: the bytes, 5–25; `nil` is returned for fewer than they announce.
    public init?(thumbHash hash: [UInt8]) {
        guard let picture = ThumbHash.decode(hash) else { return nil }
        self.init(picture)
    }

    /// Decodes a ThumbHash in base64 or base64url, as the server sends it.
    public init?(thumbHash text: String) {
        guard let hash = Base64.decode(text) else { return nil }
        self.init(thumbHash: hash)
    }

    /// Decodes a BlurHash (`format=blurhash`), which is opaque and does not know the proportions of the original.
    ///
    /// - Parameters:
    ///   - width: 1–100 pixels; 32 is enough for what a hash contains.
    ///   - height: 1–100 pixels.
    /// - Returns: `nil` for a text that is no BlurHash, and for a side out of range.
    public init?(blurHash text: String, width: Int = 32, height: Int = 32) {
        guard let picture = BlurHash.decode(text, width: width, height: height) else { return nil }
        self.init(picture)
    }

    private init(_ picture: TinyPicture) {
        (width, height, rgba) = (picture.width, picture.height, picture.rgba)
    }
}
