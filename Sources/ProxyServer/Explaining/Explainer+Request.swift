import ImagePipeline
import ImagePlan

extension Explainer {
    /// The parameters and fields of the request that are not part of the plan.
    func requestSection(_ request: ExplainedRequest) throws(Problem) -> Explanation.Section {
        var facts = [Explanation.Fact("source", .string(request.rule.localName), .path)]
        if let site = siteFact(of: request.rule) { facts.insert(site, at: 0) }
        let options = request.entry.options
        let others = request.pairs.filter { !RequestLanguage.isReserved($0.name) }
        let forwarded = others.filter { options.query.use(of: $0.name) == .forward }
        let unkeyed = others.filter { options.query.use(of: $0.name) == .unkeyed }
        let ignored = others.filter { options.query.use(of: $0.name) == .ignore }
        if !unkeyed.isEmpty { facts.append(list("unkeyed", unkeyed, key: "unkeyed-query", request)) }
        if !forwarded.isEmpty { facts.append(list("forwarded", forwarded, key: "forward-query", request)) }
        if !ignored.isEmpty { facts.append(list("ignored", ignored, key: "ignore-query", request)) }
        for name in ["filename", "download"] + SignedOptions.names.map(\.name) + ["exp"] {
            guard let value = request.value(of: name) else { continue }
            let words = name == "exp" ? Int64(value).map { "\(value) (\(Explainer.date($0)))" } : nil
            facts.append(Explanation.Fact(name, .string(value), words: words, .parameter(name)))
        }
        if let accept = request.accept { facts.append(Explanation.Fact("accept", .string(accept), .field("Accept"))) }
        return Explanation.Section(name: "request", facts: facts)
    }

    /// The site of a source, unless it is the default one.
    private func siteFact(of rule: SourceRule) -> Explanation.Fact? {
        rule.site.isEmpty ? nil : Explanation.Fact("site", .string(rule.site))
    }

    private func list(
        _ name: String,
        _ pairs: [QueryPair],
        key: String,
        _ request: ExplainedRequest
    ) -> Explanation.Fact {
        let origin = ruleOrigin(of: key, request) ?? loaded.origin(of: "sources.\(request.rule.localName).\(key)")
        return Explanation.Fact(name, .array(pairs.map { .string($0.raw) }), .setting(origin))
    }

    /// A time in RFC 3339, UTC.
    static func date(_ seconds: Int64) -> String {
        var text = TimestampText()
        text.update(to: seconds)
        return String(decoding: text.bytes, as: UTF8.self)
    }
}
