import HTTPSemantics
import OriginTransfer
import Testing

@testable import ImagePipeline

@Suite(.timeLimit(.minutes(1)))
struct ChainFreshnessTests {
    private static func head(_ cacheControl: String? = nil, tag: String? = nil, _ lines: String...) -> TransferHead {
        var fields = FieldLines(lines.compactMap { FieldLine(line: $0.utf8) })
        if let cacheControl { fields.append("Cache-Control", cacheControl) }
        if let tag { fields.append("ETag", tag) }
        return TransferHead(status: 200, fields: fields, requestTime: 1_000, responseTime: 1_000)
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
    func `computes the allowance of a response`(_ cacheControl: String, _ allowed: Int64?) {
        #expect(Self.head(cacheControl).statedAllowance == allowed)
    }

    @Test func `subtracts Age, and counts Expires from Date`() {
        let expires = "Expires: Thu, 01 Jan 1970 00:20:00 GMT"
        let date = "Date: Thu, 01 Jan 1970 00:10:00 GMT"
        #expect(Self.head("max-age=60", tag: nil, "Age: 20").statedAllowance == 40)
        #expect(Self.head(nil, tag: nil, expires).statedAllowance == 200)
        // 400 s old by its Date, with a lifetime of 600 s.
        #expect(Self.head(nil, tag: nil, expires, date).statedAllowance == 200)
        #expect(Self.head(nil, tag: nil, "Expires: 0", date).statedAllowance == -400)
        #expect(Self.head("max-age=60", tag: nil, "CDN-Cache-Control: max-age=5").statedAllowance == 5)
    }

    @Test func `is as fresh as the least fresh hop and keeps the last response's validators`() {
        let hops = [Self.head("max-age=30"), Self.head("max-age=5", tag: "\"hop\"", "Age: 1"), Self.head()]
        let combined = ChainFreshness.combine(redirects: hops, last: Self.head("max-age=60", tag: "\"last\"")).fields
        #expect(combined["cache-control"] == "max-age=5" && combined["age"] == "1" && combined["etag"] == "\"last\"")
    }

    @Test func `keeps the last response's fields if it is the strictest or the only one`() {
        func control(_ hops: [TransferHead], _ last: TransferHead) -> String? {
            ChainFreshness.combine(redirects: hops, last: last).fields["cache-control"]
        }
        #expect(control([Self.head("max-age=60"), Self.head()], Self.head("max-age=5")) == "max-age=5")
        #expect(control([], Self.head("max-age=5")) == "max-age=5")
        #expect(control([Self.head("no-store")], Self.head()) == "no-store")
        #expect(control([Self.head("no-cache")], Self.head("no-store")) == "no-store")
    }
}
