import Foundation
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ParityPageTests {
    let page: ParityPage

    init() throws {
        let file = SwiftFiles.root.appendingPathComponent("Sources/ProxyServer/ProxyServer.docc/SDWebImageParity.md")
        page = ParityPage(try String(contentsOf: file, encoding: .utf8))
    }

    /// The number of rows of each section, one per feature of SDWebImage.
    static let counts = [
        ("The pipeline itself (SDWebImageManager)", 14),
        ("SDWebImageOptions (26 bits)", 23),
        ("SDWebImageContext keys (28)", 25),
        ("Downloader", 19),
        ("Cache", 21),
        ("Loaders, key filter, serializer, options processor", 8),
        ("Transformers (geometry, blending, effect)", 16),
        ("Coders, formats, animation", 19),
        ("Prefetcher, errors, views", 10),
        ("From articles and older versions", 8),
    ]

    @Test func `has every row exactly once`() {
        #expect(page.malformed == [])
        #expect(page.sections.map(\.title) == Self.counts.map(\.0))
        #expect(page.sections.map(\.rows.count) == Self.counts.map(\.1))
        #expect(Set(page.rows.map(\.name)).count == page.rows.count)
    }

    @Test func `states what is missing in partial rows`() {
        for row in page.rows {
            let parts = row.here.components(separatedBy: "Not yet: ")
            #expect(!parts[0].lowercased().contains("not yet") || row.isNotYet, "\(row)")
            #expect(parts.count <= 2, "\(row)")
            #expect(parts.last?.isEmpty == false, "\(row)")
            if row.isPartly { #expect(parts.count == 2, "\(row) does not state what is missing") }
            if parts.count == 2 {
                #expect(row.isPartly || row.isNotApplicable, "\(row) is incomplete but not marked as such")
            }
            #expect(row.isNotApplicable == row.priority.hasPrefix("N"), "\(row)")
        }
    }

    @Test func `names sources that exist`() {
        let sources = SwiftFiles(below: "Sources")
        for row in page.rows {
            #expect(!row.types.isEmpty || row.isNotYet || row.isNotApplicable, "\(row) names no type")
            let missing = row.types.filter { !sources.contains($0) }
            #expect(missing == [], "\(row)")
        }
    }

    @Test func `names tests that exist`() throws {
        let tests = SwiftFiles(below: "Tests")
        for row in page.rows {
            #expect(row.tests.isEmpty == row.types.isEmpty, "\(row) must name both types and tests, or neither")
            for test in row.tests {
                let (suite, sentence) = try #require(Self.halves(of: test), "\(row): \(test) is not Suite/sentence")
                let found =
                    try tests.count(of: "@Test", in: suite) > 0 ? tests.count(of: "func `\(sentence)`(", in: suite) : 0
                #expect(found == 1, "\(row): \(found) tests `\(sentence)` in \(suite).swift")
            }
        }
    }

    private static func halves(of test: String) -> (suite: String, sentence: String)? {
        guard let slash = test.firstIndex(of: "/") else { return nil }
        let (suite, sentence) = (test[..<slash], test[slash...].dropFirst())
        return suite.isEmpty || sentence.isEmpty ? nil : (String(suite), String(sentence))
    }
}
