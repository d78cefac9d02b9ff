import Foundation
import ImagePlan
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ThumbHashTests {
    /// Hashes of the pictures on the algorithm's own page.
    @Test(arguments: ["1QcSHQRnh493V4dIh4eXh1h4kJUI", "3OcRJYB4d3h/iIeHeEh3eIhw+j2w", "HBkSHYSIeHiPiHh8eJd4eTN0EEQG"])
    func `a published hash comes back when its picture is hashed again`(text: String) throws {
        let hash = try Array(#require(Data(base64Encoded: text)))
        let picture = try #require(HashDecoders.thumbHash(hash, isExact: true))
        let again = ThumbHash.encode(picture)
        try #require(again.count == hash.count)
        // Means, amplitudes and shape within a step: pixels are clipped and rounded in between.
        for (one, other) in zip(Self.head(again), Self.head(hash)) { #expect(abs(one - other) <= 1) }
        let second = try #require(HashDecoders.thumbHash(again, isExact: true))
        #expect(ImageComparison.meanDifference(picture.image, second.image) < 2, "\(Base64.encode(again))")
    }

    /// The numbers in a hash's head: means and amplitudes, number of waves, whether there is alpha and whether it lies.
    private static func head(_ hash: [UInt8]) -> [Int] {
        let means = Int(hash[0]) | Int(hash[1]) << 8 | Int(hash[2]) << 16
        let shape = Int(hash[3]) | Int(hash[4]) << 8
        return [
            means & 63, means >> 6 & 63, means >> 12 & 63, means >> 18 & 31, shape >> 3 & 63, shape >> 9 & 63,
            (shape & 7) * 10, (means >> 23) * 10, (shape >> 15) * 10,
        ]
    }

    @Test(arguments: [(100, 75), (75, 100), (60, 60), (100, 10)])
    func `a soft picture comes back`(width: Int, height: Int) throws {
        let picture = try TinyPicture.soft(width, height)
        let hash = ThumbHash.encode(picture)
        let decoded = try #require(HashDecoders.thumbHash(hash))
        let expected = try TinyPicture.soft(decoded.width, decoded.height)
        #expect(ImageComparison.meanDifference(expected.image, decoded.image) < 12)
        #expect((decoded.width > decoded.height) == (width > height))
        #expect(hash.count <= ThumbHash.longest)
    }

    @Test func `transparency comes back, and does not darken what is visible`() throws {
        let picture = try TinyPicture.make(40, 40) { x, _ in x < 20 ? [200, 40, 40, 255] : [0, 0, 0, 0] }
        let hash = ThumbHash.encode(picture)
        let decoded = try #require(HashDecoders.thumbHash(hash))
        #expect(hash.count == 25)
        #expect(decoded.image.alpha(2, 16) > 200 && decoded.image.alpha(29, 16) < 55)
        #expect(ImageComparison.colourDistance(decoded.image[2, 16], [200, 40, 40]) < 8)
        // Opaque pictures spend nothing on it.
        #expect(ThumbHash.encode(try .plain(40, 40, [1, 2, 3, 255])).count < 25)
    }

    @Test func `every size from one pixel has a hash`() throws {
        for (width, height) in [(1, 1), (1, 100), (100, 1), (2, 3), (100, 100)] {
            let hash = ThumbHash.encode(try .plain(width, height, [10, 200, 30, 255]))
            let decoded = try #require(HashDecoders.thumbHash(hash))
            #expect(ImageComparison.colourDistance(decoded.image[0, 0], [10, 200, 30]) < 12, "\(width)×\(height)")
        }
    }
}
