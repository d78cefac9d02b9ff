import ImagePlan
import Testing

/// Parameters as the first segment of a path.
@Suite(.timeLimit(.minutes(1)))
struct PathStyleTests {
    private func unfolded(_ path: String, _ query: String = "") throws -> String? {
        try PathStyle.unfolded(path: Array(path.utf8), query: Array(query.utf8)).map { path, query in
            String(decoding: path, as: UTF8.self) + "?" + String(decoding: query, as: UTF8.self)
        }
    }

    @Test(arguments: [
        ("/photos/w=400/cat.jpg", "/photos/cat.jpg?w=400"),
        ("/photos/w=400,h=300,fit=cover/a/b.jpg", "/photos/a/b.jpg?w=400&h=300&fit=cover"),
        ("/photos/gravity=0.3,0.7,w=400/a.jpg", "/photos/a.jpg?gravity=0.3,0.7&w=400"),
        ("/photos/crop=10,20,30,40,round=1,2,3,4/a.jpg", "/photos/a.jpg?crop=10,20,30,40&round=1,2,3,4"),
        ("/photos/preset=small/a.jpg", "/photos/a.jpg?preset=small"),
        (
            "/photos/watermark=logos%2Fa.png,southeast,max_bytes=9/a.jpg",
            "/photos/a.jpg?watermark=logos%2Fa.png,southeast&max_bytes=9"
        ),
        ("/photos/watermark=text:a%2Cw=5/a.jpg", "/photos/a.jpg?watermark=text:a%2Cw=5"),
        ("/photos/w=1,=2/a.jpg", "/photos/a.jpg?w=1,=2"), ("/photos/w=1,H=2/a.jpg", "/photos/a.jpg?w=1,H=2"),
        ("/photos/w=1/k=v/a.jpg", "/photos/k=v/a.jpg?w=1"), ("/photos/w=1/", "/photos/?w=1"),
        ("/photos/sig=a-_/a.jpg", "/photos/a.jpg?sig=a-_"),
    ])
    func `is an alias of the query`(path: String, alias: String) throws {
        #expect(try unfolded(path) == alias)
        #expect(try unfolded(path, "exp=1&sig=x") == alias + "&exp=1&sig=x")
    }

    @Test(arguments: [
        "/photos/cat.jpg", "/photos/a/k=v.jpg", "/photos/k%3Dv/a.jpg", "/photos/", "/photos", "/w=1", "/", "",
    ])
    func `a path without = in its first segment has no parameters`(path: String) throws {
        #expect(try unfolded(path, "w=1") == nil)
    }

    @Test(arguments: [
        ("/photos/W=4/a.jpg", "is not name=value"), ("/photos/=4/a.jpg", "is not name=value"),
        ("/photos/4,w=3/a.jpg", "is not name=value"), ("/photos/-=3/a.jpg", "is not name=value"),
        ("/photos/w=4&h=3/a.jpg", "has a segment of parameters with a &"), ("/photos/w=4", "ends after its parameters"),
    ])
    func `refuses a segment that is neither`(path: String, reason: String) {
        let error = #expect(throws: RequestError.self) { try unfolded(path) }
        #expect(error?.parameter == "path" && error?.status == .malformed && error?.reason.contains(reason) == true)
    }

    @Test(arguments: [
        ("w=400&h=300", "/photos/w=400,h=300/a.jpg"), ("gravity=0.3,0.7&w=4", "/photos/gravity=0.3,0.7,w=4/a.jpg"),
        ("watermark=l/a.png,tile", "/photos/watermark=l%2Fa.png,tile/a.jpg"), ("", "/photos/a.jpg"),
        ("watermark=text:a,w=5&h=1", "/photos/watermark=text:a%2Cw=5,h=1/a.jpg"), ("w=1&&h=2", "/photos/w=1,h=2/a.jpg"),
    ])
    func `writes a query in a path, and reads it back`(query: String, path: String) throws {
        #expect(PathStyle.folded(path: "/photos/a.jpg", query: query) == path)
        guard !query.isEmpty else { return }
        let read = try #require(try PathStyle.unfolded(path: Array(path.utf8), query: []))
        #expect(read.path == Array("/photos/a.jpg".utf8))
        func pairs(_ query: [UInt8]) throws -> [String] {
            try QueryPair.split(query).map { "\($0.name)=\($0.value ?? "")" }
        }
        #expect(try pairs(read.query) == pairs(Array(query.utf8)))
    }

    @Test(arguments: ["w", "V=1", "a.b=1", "=1", "w=1&V=2"])
    func `some pairs have no place in a path`(query: String) {
        #expect(PathStyle.folded(path: "/photos/a.jpg", query: query) == nil)
    }
}
