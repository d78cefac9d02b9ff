extension Explainer {
    /// Whether the request needs a signature.
    func guardSection(_ request: ExplainedRequest) -> Explanation.Section {
        let required = loaded.origin(of: "signing.required")
        return Explanation.Section(
            name: "signature",
            facts: [
                Explanation.Fact("required", .bool(loaded.configuration.signing.required), .setting(required))
            ]
        )
    }
}
