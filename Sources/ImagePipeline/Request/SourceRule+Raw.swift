extension SourceRule {
    /// What a raw source does with an answer that has `Set-Cookie`; its client gets it in either case.
    package enum SetCookiePolicy: String, Hashable, Sendable, CaseIterable {
        /// The answer is not stored.
        case refuse
        /// The answer is stored like any other (RFC 6265 §3, RFC 9111 §7.3), and each client gets its cookies.
        case store
    }

    /// The methods that every raw source takes: the safe ones without TRACE, which would show clients the fields that the
    /// origin is sent.
    package static let standardMethods = ["GET", "HEAD", "OPTIONS"]

    /// All methods that the source takes where it is raw, each once.
    package var allMethods: [String] {
        var all = SourceRule.standardMethods
        for method in methods where !all.contains(method) { all.append(method) }
        return all
    }
}
