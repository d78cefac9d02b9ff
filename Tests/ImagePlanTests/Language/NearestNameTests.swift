import Testing

@testable import ImagePlan

@Suite(.timeLimit(.minutes(1)))
struct NearestNameTests {
    @Test(arguments: [
        ("", "", 0), ("a", "", 1), ("abc", "abc", 0), ("abc", "acb", 1), ("abc", "abd", 1), ("abc", "abcd", 1),
        ("kitten", "sitting", 3),
    ])
    func `computes edit distances`(left: String, right: String, distance: Int) {
        #expect(NearestName.distance(left, right) == distance)
        #expect(NearestName.distance(right, left) == distance)
    }

    @Test(arguments: [
        ("lsiten", "listen" as String?), ("cache.memmory", "cache.memory"), ("limits.memory", "cache.memory"),
        ("xyzzy", nil), ("q", nil),
    ])
    func `suggests only close names`(name: String, expected: String?) {
        #expect(NearestName.of(name, among: ["listen", "cache", "cache.memory", "log.level"]) == expected)
    }

    @Test(arguments: [
        ("W", "w" as String?), ("x", nil), ("widht", "w"), ("heigth", "h"), ("WIDTH", "w"), ("gravty", "gravity"),
        ("w2", "w"), ("", nil), ("gravity" + String(repeating: "y", count: 64), nil),
    ])
    func `knows synonyms, and does not confuse single letters`(name: String, expected: String?) {
        let found = NearestName.of(name, among: ["gravity", "h", "w"], otherNames: ["height": "h", "width": "w"])
        #expect(found == expected)
    }
}
