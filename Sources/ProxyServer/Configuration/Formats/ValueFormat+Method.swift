import HTTPSemantics

extension ValueFormat where Value == String {
    /// A method of a raw source (RFC 9110 §9.1): a case-sensitive token, except TRACE and CONNECT.
    static var method: ValueFormat {
        let token = ValueFormat.scalar("a method such as POST") { text in
            FieldSyntax.isToken(text) ? text : nil
        } write: {
            .quoted($0)
        }
        return ValueFormat(
            expectation: token.expectation,
            read: { node, problems in
                guard let text = token.read(node, &problems) else { return nil }
                if let refusal = refusal(of: text) {
                    problems.add(refusal, at: node.place)
                    return nil
                }
                return text
            },
            write: token.write,
            schema: .text(pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")
        )
    }

    /// The reason why a method cannot be forwarded, or `nil`.
    private static func refusal(of method: String) -> String? {
        let upper = method.uppercased()
        if upper == "TRACE" {
            return "TRACE is never forwarded: its response shows the forwarded request, credentials included"
        }
        if upper == "CONNECT" { return "CONNECT is never forwarded: it requests a tunnel" }
        let known = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"]
        guard method != upper, known.contains(upper) else { return nil }
        return "methods are case-sensitive: '\(method)' is not \(upper); did you mean \(upper)?"
    }
}
