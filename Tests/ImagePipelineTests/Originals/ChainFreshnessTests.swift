import Testing

@testable import ImagePipeline

@Suite(.timeLimit(.minutes(1)))
struct ChainFreshnessTests {
    private static func fields(_ cacheControl: String? = nil, tag: String? = nil) -> OriginFields {
        var fields = OriginFields(requestTime: 1_000, responseTime: 1_000)
        fields.cacheControl = cacheControl
        fields.entityTag = tag
        return fields
    }

    @Test(
        arguments: [
            ("max-age=60", 60), ("s-maxage=10, max-age=60", 10), ("max-age=60, s-maxage=\"100\"", 100),
            ("max-age=5, max-age=9", 5), ("Max-Age=7", 7), ("max-age=x", 0), ("max-age", 0), ("public", nil),
            ("", nil),
            ("max-age=60, no-cache", Int64.min + 1), ("private, max-age=60", Int64.min), ("no-store", Int64.min),
            ("max-age=99999999999999999999", 1 << 31),
        ] as [(String, Int64?)]
    )
    func `reads what an answer allows`(_ cacheControl: String, _ allowed: Int64?) {
        #expect(Self.fields(cacheControl).statedAllowance == allowed)
    }

    @Test func `counts age off and Expires from Date`() {
        var fields = Self.fields("max-age=60")
        fields.age = "20"
        #expect(fields.statedAllowance == 40)
        fields = Self.fields()
        fields.expires = "Thu, 01 Jan 1970 00:20:00 GMT"
        #expect(fields.statedAllowance == 200)
        // 400 s old by its own Date, of the 600 s that it gives itself.
        fields.date = "Thu, 01 Jan 1970 00:10:00 GMT"
        #expect(fields.statedAllowance == 200)
        fields.expires = "0"
        #expect(fields.statedAllowance == -400)
    }

    @Test func `is as fresh as the least fresh hop and keeps the last answer's validators`() {
        var hop = Self.fields("max-age=5", tag: "\"hop\"")
        hop.age = "1"
        let last = Self.fields("max-age=60", tag: "\"last\"")
        let combined = ChainFreshness.combine(hops: [Self.fields("max-age=30"), hop, Self.fields()], last: last)
        #expect(combined.cacheControl == "max-age=5")
        #expect(combined.age == "1")
        #expect(combined.entityTag == "\"last\"")
    }

    @Test func `keeps the last answer's word when it is the strictest or the only one`() {
        let last = Self.fields("max-age=5")
        #expect(ChainFreshness.combine(hops: [Self.fields("max-age=60"), Self.fields()], last: last) == last)
        #expect(ChainFreshness.combine(hops: [], last: last) == last)
        #expect(ChainFreshness.combine(hops: [Self.fields("no-store")], last: Self.fields()).cacheControl == "no-store")
        #expect(
            ChainFreshness.combine(hops: [Self.fields("no-cache")], last: Self.fields("no-store")).cacheControl
                == "no-store"
        )
    }
}
