import ImagePlan
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct BlurHashTests {
    @Test(arguments: [
        ([0, 0, 0, 255] as [UInt8], "L00000fQfQfQfQfQfQfQfQfQfQfQ"),
        ([255, 255, 255, 255], "L2TSUA~qfQ~q~qj[fQj[fQfQfQfQ"),
        // Transparent counts as white.
        ([255, 0, 0, 0], "L2TSUA~qfQ~q~qj[fQj[fQfQfQfQ"),
    ])
    func `hashes a single colour like the reference encoders`(color: [UInt8], hash: String) throws {
        #expect(BlurHash.encode(try .plain(100, 100, color), components: (4, 3)) == hash)
    }

    @Test func `one component is the mean colour in linear light`() throws {
        let halves = try TinyPicture.make(10, 10) { x, _ in x < 5 ? [0, 0, 0, 255] : [255, 255, 255, 255] }
        // sRGB 188 is half the light of 255; 0xBCBCBC in base 83.
        let hash = BlurHash.encode(halves, components: (1, 1))
        #expect(HashDecoders.blurHash(hash, width: 1, height: 1)?.rgba == [188, 188, 188, 255])
        #expect(hash.count == 6)
    }

    @Test(arguments: [(100, 75), (75, 100), (60, 60), (100, 10)])
    func `round-trips a smooth image`(width: Int, height: Int) throws {
        let picture = try TinyPicture.soft(width, height)
        let hash = BlurHash.encode(picture)
        let decoded = try #require(HashDecoders.blurHash(hash, width: width, height: height))
        #expect(ImageComparison.meanDifference(picture.image, decoded.image) < 12, "\(hash)")
        #expect(BlurHash.isValid(hash))
    }

    @Test func `nearly reproduces a published hash from its image`() throws {
        let hash = "LFE.@D9F01_2%L%MIVD*9Goe-;WB"
        let first = try #require(HashDecoders.blurHash(hash, width: 64, height: 48))
        let again = BlurHash.encode(first, components: (4, 3))
        let second = try #require(HashDecoders.blurHash(again, width: 64, height: 48))
        #expect(ImageComparison.meanDifference(first.image, second.image) < 8, "\(again)")
    }

    @Test(arguments: [
        ([400, 300], [4, 3]), ([300, 400], [3, 4]), ([100, 100], [3, 3]), ([100, 1], [9, 1]), ([1, 100], [1, 9]),
    ])
    func `uses more components on the longer side`(size: [Int], expected: [Int]) {
        let components = BlurHash.components(width: size[0], height: size[1])
        #expect([components.x, components.y] == expected)
    }

    @Test(arguments: ["", "0", "L00000", "00000", "0000000", "00000\"", "~00000", "00000\n", "00000é"])
    func `rejects anything else`(text: String) {
        #expect(!BlurHash.isValid(text))
    }
}
