extension Plan {
    /// Parses a canonical text.
    ///
    /// - Throws: 400, naming `plan`, for any text that is not in canonical form.
    package init(canonicalText text: String) throws(RequestError) {
        let start = Self.canonicalVersion + "?"
        guard text.hasPrefix(start) else {
            throw RequestError(parameter: "plan", reason: "is not a canonical text of version \(Self.canonicalVersion)")
        }
        let parsed = try RequestLanguage.parse(query: String(text.dropFirst(start.count)), options: ParseOptions())
        guard parsed.plan.canonicalText == text else {
            throw RequestError(parameter: "plan", reason: "is not in canonical form")
        }
        self = parsed.plan
    }
}
