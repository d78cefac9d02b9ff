import ImagePipeline
import ImagePlan

extension ValueFormat where Value == String {
    /// A query parameter's name, or a pattern of names with `*`.
    static var parameterPattern: ValueFormat {
        let expectation = "a query parameter's name, or a pattern such as utm_*"
        return ValueFormat(
            expectation: expectation,
            read: { node, problems in
                guard case .scalar(let text) = node.content, !text.isEmpty,
                    text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !"&=#?%+".utf8.contains($0) })
                else {
                    problems.expected(expectation, node)
                    return nil
                }
                guard let meant = meant(by: text) else { return text }
                problems.add("'\(text)' is not a pattern: only * is; did you mean \(meant)?", at: node.place)
                return nil
            },
            write: { .quoted($0) }
        )
    }

    /// The pattern that was probably meant by a regular expression or a shell pattern; `nil` for a name or a pattern.
    private static func meant(by text: String) -> String? {
        let isExpression =
            text.contains(".*") || text.contains("**") || text.contains("\\") || text.hasPrefix("^")
            || text.contains("*") && text.contains { "()|{}^".contains($0) }
        guard isExpression else { return nil }
        var plain = text.replacing(".*", with: "*").filter { !"\\^()|{}".contains($0) }
        if plain.hasSuffix("$") { plain.removeLast() }
        while plain.contains("**") { plain = plain.replacing("**", with: "*") }
        return plain.isEmpty ? "*" : plain
    }
}

/// Checks the lists of query parameters of a source against each other and against the request language.
enum QueryListChecks {
    static func check(_ rule: SourceRule, _ report: (_ name: String, _ message: String) -> Void) {
        let lists = [
            ("forward-query", rule.forwardQuery), ("ignore-query", rule.ignoreQuery),
            ("unkeyed-query", rule.unkeyedQuery),
        ]
        for (name, patterns) in lists {
            for pattern in patterns where RequestLanguage.isReserved(pattern) {
                report(name, "contains a parameter of the request language: \(pattern)")
            }
        }
        for pattern in rule.ignoreQuery where rule.forwardQuery.contains(pattern) {
            report("ignore-query", "is both forwarded and ignored: \(pattern)")
        }
        for pattern in rule.unkeyedQuery where rule.ignoreQuery.contains(pattern) {
            report("unkeyed-query", "is both forwarded and ignored: \(pattern)")
        }
        for pattern in rule.unkeyedQuery where rule.forwardQuery.contains(pattern) {
            report("unkeyed-query", "is in forward-query, too, which makes it part of the key: \(pattern)")
        }
    }
}
