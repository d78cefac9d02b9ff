import Dialects
import ImagePlan
import Testing

/// Requests of another server with the queries that they become, one `REQUEST -> QUERY` a line.
struct TranslationTable {
    let dialect: Dialect
    /// What stands before the requests of the table.
    var prefix = ""
    /// What stands after them.
    var suffix = ""
    let lines: String

    /// Checks each line: the query, and that the request language reads it as the same text.
    ///
    /// - Returns: the number of lines.
    func check(sourceLocation: SourceLocation = #_sourceLocation) throws -> Int {
        let lines = lines.split(separator: "\n")
        for line in lines {
            let sides = line.components(separatedBy: " -> ")
            let translation = try Self.translate(dialect, prefix + sides[0] + suffix)
            #expect(translation.query == sides[1], "\(sides[0])", sourceLocation: sourceLocation)
            try Self.checkQuery(translation, sourceLocation)
        }
        return lines.count
    }

    /// Checks that each line, `REQUEST -> PARAMETER: REASON`, is a 400 that begins so.
    func checkRefusals(sourceLocation: SourceLocation = #_sourceLocation) -> Int {
        let lines = lines.split(separator: "\n")
        for line in lines {
            let sides = line.components(separatedBy: " -> ")
            let error = #expect(throws: RequestError.self, "\(sides[0])", sourceLocation: sourceLocation) {
                try Self.translate(dialect, prefix + sides[0] + suffix)
            }
            guard let error else { continue }
            #expect(error.status == .malformed, sourceLocation: sourceLocation)
            #expect(error.description.hasPrefix(sides[1]), "\(error)", sourceLocation: sourceLocation)
        }
        return lines.count
    }

    /// Translates a path with a query.
    static func translate(_ dialect: Dialect, _ request: String) throws -> Translation {
        let sides = request.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let query = sides.count > 1 ? Array(sides[1].utf8) : []
        return try dialect.translate(path: Array(sides[0].utf8), query: query, source: "photos")
    }

    /// Checks that a query is in canonical form, but for parameters about the request.
    static func checkQuery(_ translation: Translation, _ sourceLocation: SourceLocation = #_sourceLocation) throws {
        let isAboutRequest = { (name: String) in ["exp", "filename", "download"].contains(name) }
        let plan = try RequestLanguage.parse(query: translation.query, options: ParseOptions()).plan
        let own = Translation(
            image: translation.image,
            parameters: translation.parameters.filter { !isAboutRequest($0.name) },
            signature: .none
        )
        #expect(plan.canonicalText == "\(Plan.canonicalVersion)?\(own.query)", sourceLocation: sourceLocation)
    }
}

extension StringProtocol {
    /// The parts between a separator.
    fileprivate func components(separatedBy separator: String) -> [String] {
        split(separator: separator).map { String($0) }
    }
}
