import Foundation
import ImagePlan
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ThumbHashTests {
    /// The sample hashes of the algorithm's website.
    @Test(arguments: ["1QcSHQRnh493V4dIh4eXh1h4kJUI", "3OcRJYB4d3h/iIeHeEh3eIhw+j2w", "HBkSHYSIeHiPiHh8eJd4eTN0EEQG"])
    func `reproduces a published hash from its image`(text: String) throws {
        let hash = try Array(#require(Data(base64Encoded: text)))
        let picture = try #require(HashDecoders.thumbHash(hash, isExact: true))
        let again = ThumbHash.encode(picture)
        try #require(again.count == hash.count)
        // Means, amplitudes and shape within one step: decoding clips and rounds pixels.
        for (one, other) in zip(Self.head(again), Self.head(hash)) { #expect(abs(one - other) <= 1) }
        let second = try #require(HashDecoders.thumbHash(again, isExact: true))
        #expect(ImageComparison.meanDifference(picture.image, second.image) < 2, "\(Base64.encode(again))")
    }

    /// The header of a hash: means, amplitudes, number of components, alpha and landscape flags.
    private static func head(_ hash: [UInt8]) -> [Int] {
        let means = Int(hash[0]) | Int(hash[1]) << 8 | Int(hash[2]) << 16
        let shape = Int(hash[3]) | Int(hash[4]) << 8
        return [
            means & 63, means >> 6 & 63, means >> 12 & 63, means >> 18 & 31, shape >> 3 & 63, shape >> 9 & 63,
            (shape & 7) * 10, (means >> 23) * 10, (shape >> 15) * 10,
        ]
    }

    @Test(arguments: [(100, 75), (75, 100), (60, 60), (100, 10)])
    func `round-trips a smooth image`(width: Int, height: Int) throws {
        let picture = try TinyPicture.soft(width, height)
        let hash = ThumbHash.encode(picture)
        let decoded = try #require(HashDecoders.thumbHash(hash))
        let expected = try TinyPicture.soft(decoded.width, decoded.height)
        #expect(ImageComparison.meanDifference(expected.image, decoded.image) < 12)
        #expect((decoded.width > decoded.height) == (width > height))
        #expect(hash.count <= ThumbHash.longest)
    }

    @Test func `transparency round-trips without darkening visible pixels`() throws {
        let picture = try TinyPicture.make(40, 40) { x, _ in x < 20 ? [200, 40, 40, 255] : [0, 0, 0, 0] }
        let hash = ThumbHash.encode(picture)
        let decoded = try #require(HashDecoders.thumbHash(hash))
        #expect(hash.count == 25)
        #expect(decoded.image.alpha(2, 16) > 200 && decoded.image.alpha(29, 16) < 55)
        #expect(ImageComparison.colourDistance(decoded.image[2, 16], [200, 40, 40]) < 8)
        // Opaque images spend nothing on alpha.
        #expect(ThumbHash.encode(try .plain(40, 40, [1, 2, 3, 255])).count < 25)
    }

    @Test func `hashes every size from one pixel`() throws {
        for (width, height) in [(1, 1), (1, 100), (100, 1), (2, 3), (100, 100)] {
            let hash = ThumbHash.encode(try .plain(width, height, [10, 200, 30, 255]))
            let decoded = try #require(HashDecoders.thumbHash(hash))
            #expect(ImageComparison.colourDistance(decoded.image[0, 0], [10, 200, 30]) < 12, "\(width)×\(height)")
        }
    }
}
