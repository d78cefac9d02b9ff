import HTTPCache
import ImagePipeline
import ImagePlan

extension Explainer {
    /// The request fields other than `Accept` that the response depends on.
    func varyFacts(_ request: ExplainedRequest, _ resolved: ResolvedRequest) -> [Explanation.Fact] {
        guard !resolved.vary.isEmpty else { return [] }
        var facts = [Explanation.Fact("vary", .string(resolved.vary.text))]
        if let saving = resolved.saving {
            let variant = saving.variant(for: request.target.bucket)
            let quality = variant.quality
            facts.append(
                Explanation.Fact(
                    "save-data",
                    .string("jpeg \(quality.jpeg), webp \(quality.webp), avif \(quality.avif), jxl \(quality.jxl)"),
                    .setting(inherited("quality.save-data", request)),
                    details: [Explanation.Fact("key", .string(variant.key.description))]
                )
            )
        }
        if let hints = resolved.hints { facts += hintFacts(hints) }
        return facts
    }

    private func hintFacts(_ hints: RequestHints) -> [Explanation.Fact] {
        let (ladder, values) = (hints.options.ladder, hints.options.values)
        var facts: [Explanation.Fact] = []
        if hints.used.contains(.width) {
            facts.append(fact("w=auto", String(values.width), ladder.widths.map { String($0) }, "ladder.widths"))
        }
        if hints.used.contains(.dpr) {
            facts.append(fact("dpr=auto", values.ratio.text, ladder.ratios.map(\.text), "ladder.dpr"))
        }
        return facts
    }

    private func fact(_ name: String, _ value: String, _ rungs: [String], _ key: String) -> Explanation.Fact {
        Explanation.Fact(
            name,
            .string(value),
            words: "\(value), or a client hint rounded up to the ladder",
            .setting(loaded.origin(of: key)),
            details: [Explanation.Fact("rungs", .string(rungs.joined(separator: ", ")))]
        )
    }

    /// The key that determines an inherited setting.
    func inherited(_ key: String, _ request: ExplainedRequest) -> SettingOrigin {
        ruleOrigin(of: key, request)
            ?? (request.isRemote
                ? loaded.origin(of: key) : loaded.origin(of: "sources.\(request.rule.localName).\(key)", key))
    }
}
