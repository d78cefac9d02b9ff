import EdgeprintURL
import Foundation
import Testing

/// The vectors of what responses say: placeholders, `Cache-Status` and `Server-Timing`.
@Suite(.timeLimit(.minutes(1)))
struct AnswerVectorTests {
    private struct Placeholders: Decodable {
        var thumbhash: [Picture]
        var blurhash: [Picture]
        var notThumbhash: [String]
        var notBlurhash: [String]
    }

    private struct Picture: Decodable {
        var name: String
        var hash: String
        var width: Int
        var height: Int
        var rgba: Data
    }

    private struct Fields: Decodable {
        var cacheStatus: [Field]
        var otherCaches: [Field]
        var serverTiming: [Field]
        var otherServers: [Field]
    }

    private struct Field: Decodable {
        var name: String
        var value: String
        var members: [Member]?
        var metrics: [Metric]?
    }

    private struct Member: Decodable {
        var cache: String
        var hit: Bool
        var fwd: String?
        var fwdStatus: Int?
        var ttl: Int?
        var stored: Bool?
        var collapsed: Bool?
        var key: String?
        var detail: String?
    }

    private struct Metric: Decodable {
        var name: String
        var duration: Double?
        var description: String?
    }

    /// Whether all bytes are equal, but for the rounding of cosines.
    private func expect(_ image: PlaceholderImage?, _ vector: Picture) {
        guard let image else {
            Issue.record("\(vector.name) is refused")
            return
        }
        #expect(image.width == vector.width && image.height == vector.height, "\(vector.name)")
        #expect(image.rgba.count == vector.rgba.count)
        let worst = zip(image.rgba, vector.rgba).map { abs(Int($0) - Int($1)) }.max() ?? 256
        #expect(worst <= 1, "\(vector.name)")
    }

    @Test func `hashes are decoded to the pixels of the vectors`() throws {
        let vectors = try Vectors.read("placeholders", as: Placeholders.self)
        #expect(vectors.thumbhash.count >= 5 && vectors.blurhash.count >= 5)
        for vector in vectors.thumbhash { expect(PlaceholderImage(thumbHash: vector.hash), vector) }
        for vector in vectors.blurhash {
            expect(PlaceholderImage(blurHash: vector.hash, width: vector.width, height: vector.height), vector)
        }
    }

    @Test func `texts that are no hashes are refused`() throws {
        let vectors = try Vectors.read("placeholders", as: Placeholders.self)
        for text in vectors.notThumbhash { #expect(PlaceholderImage(thumbHash: text) == nil, "\(text)") }
        for text in vectors.notBlurhash { #expect(PlaceholderImage(blurHash: text) == nil, "\(text)") }
        let valid = try #require(vectors.blurhash.first)
        for side in [0, 101] { #expect(PlaceholderImage(blurHash: valid.hash, width: side) == nil) }
    }

    @Test func `no bytes and no text make a decoder trap`() {
        var generator = SystemRandomNumberGenerator()
        let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~")
        for _ in 0..<300 {
            let bytes = (0..<Int.random(in: 0...30)).map { _ in UInt8.random(in: 0...255, using: &generator) }
            if let image = PlaceholderImage(thumbHash: bytes) {
                #expect(image.rgba.count == image.width * image.height * 4)
            }
            let text = String((0..<Int.random(in: 0...40)).compactMap { _ in digits.randomElement(using: &generator) })
            if let image = PlaceholderImage(blurHash: text, width: 3, height: 2) { #expect(image.rgba.count == 24) }
        }
    }

    @Test func `Cache-Status is read as in the vectors`() throws {
        let vectors = try Vectors.read("cache-status", as: Fields.self)
        #expect(vectors.cacheStatus.count >= 30)
        for vector in vectors.cacheStatus + vectors.otherCaches {
            let members = try #require(vector.members)
            let found = CacheStatus.parse(vector.value)
            #expect(found.count == members.count, "\(vector.name)")
            for (one, member) in zip(found, members) {
                #expect(one.cache == member.cache, "\(vector.name)")
                #expect(one.isHit == member.hit, "\(vector.name)")
                #expect(one.forwardReason == member.fwd, "\(vector.name)")
                #expect(one.forwardStatus == member.fwdStatus, "\(vector.name)")
                #expect(one.timeToLive == member.ttl, "\(vector.name)")
                #expect(one.isStored == member.stored ?? false, "\(vector.name)")
                #expect(one.isCollapsed == member.collapsed ?? false, "\(vector.name)")
                #expect(one.key == member.key, "\(vector.name)")
                #expect(one.detail == member.detail, "\(vector.name)")
            }
        }
    }

    @Test func `Server-Timing is read as in the vectors`() throws {
        let vectors = try Vectors.read("cache-status", as: Fields.self)
        #expect(vectors.serverTiming.count >= 4)
        for vector in vectors.serverTiming + vectors.otherServers {
            let metrics = try #require(vector.metrics)
            let found = ServerTiming.parse(vector.value)
            #expect(found.count == metrics.count, "\(vector.name)")
            for (one, metric) in zip(found, metrics) {
                #expect(one.name == metric.name, "\(vector.name)")
                #expect(one.milliseconds == metric.duration, "\(vector.name)")
                #expect(one.summary == metric.description, "\(vector.name)")
            }
        }
    }
}
