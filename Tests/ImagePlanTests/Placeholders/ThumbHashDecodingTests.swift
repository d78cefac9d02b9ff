import Foundation
import ImagePlan
import TestSupport
import Testing

/// Images drawn from a ThumbHash.
@Suite(.timeLimit(.minutes(1)))
struct ThumbHashDecodingTests {
    /// The sample hashes of the algorithm's website.
    @Test(arguments: ["1QcSHQRnh493V4dIh4eXh1h4kJUI", "3OcRJYB4d3h/iIeHeEh3eIhw+j2w", "HBkSHYSIeHiPiHh8eJd4eTN0EEQG"])
    func `draws a published hash as another decoder does`(text: String) throws {
        let hash = try Array(#require(Data(base64Encoded: text)))
        let mine = try #require(ThumbHash.decode(hash))
        let other = try #require(HashDecoders.thumbHash(hash))
        #expect(mine.width == other.width && mine.height == other.height)
        #expect(ImageComparison.meanDifference(mine.image, other.image) < 12)
    }

    @Test func `keeps colour, proportions and transparency`() throws {
        let wide = try #require(ThumbHash.decode(ThumbHash.encode(.plain(100, 50, [200, 40, 40, 255]))))
        #expect(wide.width == 32 && (14...18).contains(wide.height))
        #expect(ImageComparison.colourDistance(wide.image[16, 8], [200, 40, 40]) < 16)
        let half = try TinyPicture.make(40, 40) { x, _ in x < 20 ? [200, 40, 40, 255] : [0, 0, 0, 0] }
        let decoded = try #require(ThumbHash.decode(ThumbHash.encode(half)))
        #expect(decoded.image.alpha(2, 16) > 200 && decoded.image.alpha(29, 16) < 55)
    }

    @Test func `refuses every cut of a hash, and any bytes do no harm`() throws {
        let hash = ThumbHash.encode(try .plain(40, 40, [1, 2, 3, 128]))
        for count in 0..<hash.count { #expect(ThumbHash.decode(Array(hash.prefix(count))) == nil, "\(count)") }
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<300 {
            _ = ThumbHash.decode((0..<25).map { _ in UInt8.random(in: 0...255, using: &generator) })
        }
    }
}
