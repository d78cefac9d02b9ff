import ImagePipeline
import ImagePlan

extension Explainer {
    /// What of the request's fields the answer depends on beyond `Accept`, and how.
    func varyFacts(_ request: ExplainedRequest, _ resolved: ResolvedRequest) -> [Explanation.Fact] {
        guard !resolved.vary.isEmpty else { return [] }
        var facts = [Explanation.Fact("vary", .string(resolved.vary.text))]
        if let saving = resolved.saving {
            let variant = saving.variant(for: request.target.bucket)
            let quality = variant.quality
            let words = """
                \(variant.key) for Save-Data: on, with the qualities jpeg \(quality.jpeg), webp \(quality.webp), \
                avif \(quality.avif)
                """
            facts.append(
                Explanation.Fact(
                    "save-data",
                    .string(variant.key.description),
                    words: words,
                    .setting(inherited("quality.save-data", request))
                )
            )
        }
        if let hints = resolved.hints { facts += hintFacts(hints, request) }
        return facts
    }

    private func hintFacts(_ hints: RequestHints, _ request: ExplainedRequest) -> [Explanation.Fact] {
        let (ladder, values) = (hints.options.ladder, hints.options.values)
        var facts: [Explanation.Fact] = []
        if hints.used.contains(.width) {
            let words = "\(values.width) unless a field tells; else the next of \(ladder.widths)"
            facts.append(
                Explanation.Fact(
                    "w=auto",
                    .number(values.width),
                    words: words,
                    .setting(loaded.origin(of: "ladder.widths"))
                )
            )
        }
        if hints.used.contains(.dpr) {
            let rungs = ladder.ratios.map(\.text).joined(separator: ", ")
            let words = "\(values.ratio.text) unless a field tells; else the next of [\(rungs)]"
            facts.append(
                Explanation.Fact(
                    "dpr=auto",
                    .string(values.ratio.text),
                    words: words,
                    .setting(loaded.origin(of: "ladder.dpr"))
                )
            )
        }
        return facts
    }

    /// Which key decided of those that a source inherits.
    func inherited(_ key: String, _ request: ExplainedRequest) -> SettingOrigin {
        request.isRemote ? loaded.origin(of: key) : loaded.origin(of: "sources.\(request.rule.name).\(key)", key)
    }
}
