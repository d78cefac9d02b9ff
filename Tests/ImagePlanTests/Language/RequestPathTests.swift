import ImagePlan
import Testing

@Suite(.timeLimit(.minutes(1)))
struct RequestPathTests {
    @Test func `keeps the raw path next to the decoded one`() throws {
        let path = try #require(try RequestPath.parse("/photos/a%20b/%e4%b8%ad/c+d.jpg"))
        #expect(path.source == "photos")
        #expect(path.rawPath == "a%20b/%e4%b8%ad/c+d.jpg")
        #expect(path.segments == ["a b", "中", "c+d.jpg"])
        #expect(try path.filePath() == "a b/中/c+d.jpg")
    }

    @Test func `decodes the name of the source`() throws {
        let path = try #require(try RequestPath.parse("/%70ho%74os/a%20b"))
        #expect(path.source == "photos" && path.rawPath == "a%20b")
        #expect(RequestPath.name(in: "/%70hotos?w=%2F".utf8) == "photos" && RequestPath.name(in: "/a%/b".utf8) == "a%")
    }

    @Test func `keeps encoded and double slashes for an origin, and rejects them for a folder`() throws {
        let encoded = try #require(try RequestPath.parse("/s/a%2Fb"))
        #expect(encoded.rawPath == "a%2Fb")
        #expect(encoded.hasEncodedSlash)
        #expect(throws: RequestError.self) { try encoded.filePath() }
        let double = try #require(try RequestPath.parse("/s//a//b"))
        #expect(double.rawPath == "/a//b")
        #expect(double.hasEmptySegment)
        #expect(throws: RequestError.self) { try double.filePath() }
        #expect(throws: RequestError.self) { try RequestPath.parse("/s/a/")?.filePath() }
        #expect(throws: RequestError.self) { try RequestPath.parse("/s/")?.filePath() }
    }

    @Test(arguments: [
        "/", "//a", "/Photos/a", "/-x/a", "/a_b/c", "/a%20b/c", "/favicon.ico", "/%50hotos/a", "/%2dx/a", "/photos%2Fa",
        "/pho%2574os/a", "/photos%20/a",
    ])
    func `has no source by that name`(path: String) throws {
        #expect(try RequestPath.parse(path) == nil)
    }

    @Test(arguments: [
        "/s/../a", "/s/./a", "/s/..", "/s/.", "/s/%2e%2e/a", "/s/%2E./a", "/s/.%2e", "/s/a%2f..%2fb", "/s/..%2fb",
        "/s/a%5c..",
        "/../s/a", "/%2e%2e/a", "/s/a%00b", "/s/a%0ab", "/s/%7f", "/s/a%", "/s/a%2", "/s/a%gg", "/s/%ff", "/s/%c0%ae",
        "", "s/a",
        "/s/%c2%85",
    ])
    func `rejects ambiguous paths`(path: String) {
        let error = #expect(throws: RequestError.self) { try RequestPath.parse(path) }
        #expect(error?.parameter == "path")
        #expect(error?.status == .malformed)
    }

    @Test(arguments: ["/s/...", "/s/..a", "/s/a..b", "/s/.hidden", "/s/%252e%252e/a", "/s/a;b=c", "/s"])
    func `accepts names that only look like dot segments`(path: String) throws {
        #expect(try RequestPath.parse(path) != nil)
    }
}
