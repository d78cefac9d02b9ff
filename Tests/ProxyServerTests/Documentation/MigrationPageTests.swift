import Dialects
import Foundation
import ImagePlan
import Testing

/// The guide Migrating says what the translators do.
@Suite(.timeLimit(.minutes(1)))
struct MigrationPageTests {
    /// The headings above the tables, with the languages of these.
    private static let sections: [(heading: String, dialects: [Dialect])] = [
        ("## imgproxy", [.imgproxy]), ("## thumbor and imagor", [.thumbor, .imagor]),
        ("## weserv (wsrv.nl)", [.weserv]),
    ]

    private static let page = "Sources/ProxyServer/ProxyServer.docc/Guides/Migrating.md"

    /// What every URL of a language says unless it says otherwise: the tables omit it.
    private static func defaults(of dialect: Dialect) -> [Parameter] {
        let format = Parameter("format", "source")
        return switch dialect {
        case .imgproxy, .thumbor, .cloudflare: [format]
        case .imagor: [format, Parameter("meta", "keep")]
        case .weserv: [format, Parameter("anim", "first")]
        }
    }

    /// A URL of a language with the options that a row names.
    private static func url(_ dialect: Dialect, _ options: String) -> String {
        switch dialect {
        case .imgproxy: options.hasPrefix("@") ? "/_/plain/cat.jpg\(options)" : "/_/\(options)/plain/cat.jpg"
        case .thumbor, .imagor:
            options.wholeMatch(of: /\w+\(.*\)/) == nil
                ? "/unsafe/\(options)/cat.jpg" : "/unsafe/filters:\(options)/cat.jpg"
        case .weserv: "/?url=photos.example.com/cat.jpg&\(options)"
        case .cloudflare: "/cdn-cgi/image/\(options)/cat.jpg"
        }
    }

    private static func translate(_ dialect: Dialect, _ url: String) throws -> Translation {
        let sides = url.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let query = sides.count > 1 ? Array(sides[1].utf8) : []
        return try dialect.translate(path: Array(sides[0].utf8), query: query, source: "photos")
    }

    /// A query in canonical form, apart from parameters about the request.
    private struct CanonicalQuery: Equatable {
        let plan: String
        let others: Set<String>

        init(_ query: String) throws {
            let parts = query.split(separator: "&").map { String($0) }
            let isAboutRequest = { (part: String) in
                ["exp=", "filename=", "download="].contains { part.hasPrefix($0) }
            }
            let options = ParseOptions(presets: ["card": try Preset(name: "card", text: "w=400")])
            let own = parts.filter { !isAboutRequest($0) }.joined(separator: "&")
            plan = try RequestLanguage.parse(query: own, options: options).plan.canonicalText
            others = Set(parts.filter(isAboutRequest))
        }
    }

    /// The translation of a URL if it differs from a query, apart from defaults that the query does not state; else `nil`.
    private static func difference(of query: String, from url: String, _ dialect: Dialect) throws -> String? {
        let stated = Set(query.split(separator: "&").map { part in String(part.prefix { $0 != "=" }) })
        let omitted = defaults(of: dialect)
        let translation = try translate(dialect, url)
        let parameters = translation.parameters.filter { !omitted.contains($0) || stated.contains($0.name) }
        let own = Translation(image: translation.image, parameters: parameters, signature: .none)
        return try CanonicalQuery(own.query) == CanonicalQuery(query) ? nil : translation.query
    }

    /// The texts between backticks.
    private static func code(in cell: String) -> [String] {
        let parts = cell.split(separator: "`", omittingEmptySubsequences: false)
        return parts.indices.filter { !$0.isMultiple(of: 2) }.map { String(parts[$0]) }
    }

    @Test func `each counterpart is the translation of the options beside it`() throws {
        var count = 0
        for (heading, dialects) in Self.sections {
            for row in try MarkdownTable(in: Self.page, below: heading).rows {
                try #require(row.count == 3, "\(row)")
                let options = Self.code(in: row[0])
                let counterparts = row[1] == "nothing" ? [""] : Self.code(in: row[1])
                #expect(!options.isEmpty && [1, options.count].contains(counterparts.count), "\(row)")
                // A name behind the options restricts the row to one of two languages.
                let named = dialects.filter { !row[0].hasSuffix(")") || row[0].hasSuffix("(\($0.rawValue))") }
                #expect(!named.isEmpty, "\(row)")
                for dialect in named {
                    for (index, option) in options.enumerated() {
                        count += 1
                        let url = Self.url(dialect, option)
                        if row[2].hasPrefix("not translated") {
                            #expect(throws: RequestError.self, "\(url)") { try Self.translate(dialect, url) }
                            continue
                        }
                        let query = counterparts.count == 1 ? counterparts[0] : counterparts[index]
                        let difference = try Self.difference(of: query, from: url, dialect)
                        #expect(difference == nil, "\(dialect): \(url), not \(query)")
                    }
                }
            }
        }
        #expect(count > 150)
    }

    @Test func `the example above each table is the translation of its URL`() throws {
        let guide = try #require(Guide.all.first { $0.name == "Migrating" })
        let sections = guide.text.components(separatedBy: "\n## ")
        for (heading, dialects) in Self.sections {
            let section = try #require(sections.first { $0.hasPrefix(String(heading.dropFirst(3)) + "\n") })
            let match = try #require(section.firstMatch(of: /`([^`]+)`\s+becomes\s+`[^`?]+\?([^`]+)`/))
            let url = String(match.output.1).replacing("/SIGNATURE/", with: "/unsafe/")
            // The image is one of /fetch or of a source.
            let query = String(match.output.2).split(separator: "&").filter { !$0.hasPrefix("url=") }
            let dialect = try #require(dialects.first)
            let difference = try Self.difference(of: query.joined(separator: "&"), from: url, dialect)
            #expect(difference == nil, "\(url)")
        }
    }

    @Test func `another value, parameter or default is another translation`() throws {
        let cases: [(options: String, query: String, dialect: Dialect, isSame: Bool)] = [
            ("gam=2", "gamma=0.5", .weserv, true), ("gam=2", "gamma=2", .weserv, false),
            ("w=300", "w=300", .weserv, false),
            ("q=80", "q=80", .weserv, true), ("q=80", "q=80&anim=keep", .weserv, false),
            ("exp:1900000000", "exp=8", .imgproxy, false),
        ]
        for (options, query, dialect, isSame) in cases {
            let difference = try Self.difference(of: query, from: Self.url(dialect, options), dialect)
            #expect((difference == nil) == isSame, "\(options), \(query)")
        }
    }
}
