import Testing

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct PathGlobTests {
    private func segments(_ path: String) -> [String] {
        path.isEmpty ? [] : path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    }

    @Test(arguments: [
        ("avatars/**", "avatars/a.png", true), ("avatars/**", "avatars/b/a.png", true),
        ("avatars/**", "avatars", false),
        ("avatars/**", "x/avatars/a.png", false), ("**/avatars/**", "x/avatars/a.png", true),
        ("**/avatars/**", "avatars/a.png", true), ("*.png", "a.png", true), ("*.png", "b/a.png", false),
        ("**/*.png", "a.png", true), ("**/*.png", "b/c/a.png", true), ("**/*.png", "b/c/a.jpg", false),
        ("**", "", true), ("**", "a/b", true), ("a/*/c", "a/b/c", true), ("a/*/c", "a/b/b/c", false),
        ("a/**/c", "a/c", true), ("a/**/c", "a/b/b/c", true), ("a/**/c", "a/c/d", false), ("a", "a", true),
        ("a", "A", false), ("a/**/b/**/c", "a/b/x/b/c", true), ("a/**/b/**/c", "a/x/c", false),
    ])
    func `matches whole segments`(_ pattern: String, _ path: String, _ isMatch: Bool) throws {
        #expect(try PathGlob(pattern).matches(segments(path)) == isMatch)
    }

    @Test func `captures are raw for whole segments, and encoded for parts of one`() throws {
        let raw = ["a%20b", "c%2Fd", "thumb-%C3%A4.png"]
        let decoded = ["a b", "c/d", "thumb-ä.png"]
        #expect(try PathGlob("*/**/thumb-*.png").captures(decoded, raw: raw) == ["a%20b", "c%2Fd", "%C3%A4"])
        #expect(try PathGlob("**").captures(decoded, raw: raw) == ["a%20b/c%2Fd/thumb-%C3%A4.png"])
        #expect(try PathGlob("x/**").captures(decoded, raw: raw) == nil)
    }

    @Test func `a hostile path takes time in proportion to both lengths`() throws {
        let pattern = try PathGlob(String(repeating: "**/a/", count: 20) + "b")
        #expect(!pattern.matches([String](repeating: "a", count: 4_000)))
    }

    @Test(arguments: [
        ("/a", "write a"), ("a?", "contains ?"), ("{a,b}", "contains {"), ("[ab]", "contains ["),
        ("a**", "whole segments"),
        ("", "is empty"), ("a b", "space"), ("a%20b", "percent-encoded"), ("a\\*", "contains \\"),
    ])
    func `refuses other syntax with a reason`(_ pattern: String, _ reason: String) {
        let error = #expect(throws: PathGlob.Defect.self) { try PathGlob(pattern) }
        #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
    }

    @Test(arguments: [
        ("**", "a/*", true), ("a/**", "a/b/**", true), ("a/**", "a/*.png", true), ("a/*", "a/*.png", true),
        ("*.png", "*.jpg", false), ("a/*.png", "a/**", false), ("a/**", "a/**", true), ("a/**", "**", false),
        ("**/a/**", "**/a/**", true), ("*/b/**", "a/b/**", true),
    ])
    func `tells whether it covers another pattern`(_ wide: String, _ narrow: String, _ covers: Bool) throws {
        #expect(try PathGlob(wide).covers(try PathGlob(narrow)) == covers)
    }

    @Test func `a template puts captures in place`() throws {
        let template = try #require(PathTemplate("old/$2/$1-$$.png"))
        #expect(template.wildcards == 2)
        #expect(template.path(["a", "b"]) == "old/b/a-$.png")
        for text in ["", "/a", "a?b", "$", "$0", "$x", "a b", "ä"] { #expect(PathTemplate(text) == nil, "\(text)") }
    }
}
