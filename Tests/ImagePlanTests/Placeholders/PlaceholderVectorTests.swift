import Foundation
import TestSupport
import Testing

@testable import ImagePlan

/// The placeholders of `clients/vectors`, from which all clients are tested.
@Suite(.timeLimit(.minutes(1)))
struct PlaceholderVectorTests {
    private struct File: Decodable {
        struct Picture: Decodable {
            let name: String
            let hash: String
            let width: Int
            let height: Int
            let rgba: Data
        }

        let thumbhash: [Picture]
        let blurhash: [Picture]
        let notThumbhash: [String]
        let notBlurhash: [String]
    }

    private let file: File

    init() throws {
        let url = URL(fileURLWithPath: Checkout.path("clients/vectors/placeholders.json"))
        file = try JSONDecoder().decode(File.self, from: Data(contentsOf: url))
    }

    @Test func `a ThumbHash decodes to exactly these pixels`() throws {
        #expect(file.thumbhash.count > 5)
        for one in file.thumbhash {
            let picture = try ThumbHash.decode(Array(#require(Data(base64Encoded: one.hash))))
            #expect(picture == TinyPicture(width: one.width, height: one.height, rgba: Array(one.rgba)), "\(one.name)")
        }
        for text in file.notThumbhash {
            #expect(Data(base64Encoded: text).flatMap { ThumbHash.decode(Array($0)) } == nil, "\(text)")
        }
    }

    @Test func `a BlurHash decodes to these pixels`() throws {
        #expect(file.blurhash.count > 5)
        for one in file.blurhash {
            #expect(BlurHash.isValid(one.hash))
            let picture = try #require(HashDecoders.blurHash(one.hash, width: one.width, height: one.height))
            #expect(picture.rgba.count == one.rgba.count)
            // The C library's power function may differ between processors.
            #expect(zip(picture.rgba, one.rgba).allSatisfy { abs(Int($0) - Int($1)) <= 1 }, "\(one.name)")
        }
        for text in file.notBlurhash { #expect(!BlurHash.isValid(text), "\(text)") }
    }
}
